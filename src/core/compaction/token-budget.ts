// When a context is too large, and how much of it stays (seed 1 §5.1, §11; product.md "Compaction, for every size of window").

export interface CompactionSettings {
  /** Automatic compaction. */
  enabled: boolean;
  /** Tokens kept free for the reply. */
  reserveTokens: number;
  /** Tokens of recent history that stay verbatim. */
  keepRecentTokens: number;
  /** Compact earlier: a number of tokens, or a per cent of the window as "70%". */
  trigger?: number | string;
}

export const DEFAULT_COMPACTION_SETTINGS: CompactionSettings = {
  enabled: true,
  reserveTokens: 16384,
  keepRecentTokens: 20000,
};

/** Settings as they hold for a window: reserve and keep are at most a quarter of it each. */
export function effectiveSettings(settings: CompactionSettings, contextWindow: number): CompactionSettings {
  const quarter = Math.floor(contextWindow / 4);
  return {
    ...settings,
    reserveTokens: Math.min(settings.reserveTokens, quarter),
    keepRecentTokens: Math.min(settings.keepRecentTokens, quarter),
  };
}

/** Above how many tokens compaction starts, for effective settings. A trigger can only make it earlier. */
export function compactionThreshold(contextWindow: number, settings: CompactionSettings): number {
  const bySeeds = contextWindow - settings.reserveTokens;
  const trigger = parseTrigger(settings.trigger, contextWindow);
  return trigger === undefined ? bySeeds : Math.min(bySeeds, trigger);
}

/** True for `contextTokens > contextWindow - reserveTokens`, strictly: 183,616 of 200,000 does not compact, 183,617 does. */
export function shouldCompact(contextTokens: number, contextWindow: number, settings: CompactionSettings): boolean {
  return settings.enabled && contextTokens > compactionThreshold(contextWindow, settings);
}

/** Tokens that a trigger setting means, or undefined where it means nothing. */
export function parseTrigger(trigger: number | string | undefined, contextWindow: number): number | undefined {
  if (trigger === undefined || trigger === "" || trigger === null) return undefined;
  const match = /^\s*(\d+(?:\.\d+)?)\s*(%?)\s*$/.exec(String(trigger));
  if (!match) return undefined;
  const value = Number(match[1]);
  const tokens = match[2] === "%" ? Math.floor((contextWindow * value) / 100) : Math.floor(value);
  return tokens > 0 ? tokens : undefined;
}
