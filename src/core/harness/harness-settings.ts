// The settings that a harness works under (behaviours §8, product.md Settings).
import type { QueueMode } from "../agent/message-queue.ts";
import { type CompactionSettings, DEFAULT_COMPACTION_SETTINGS, effectiveSettings } from "../compaction/token-budget.ts";
import { type Model, modelKey } from "../llm/model.ts";

export interface HarnessSettings {
  compaction: CompactionSettings & {
    /** By `provider/id`, exactly; each value falls back to the ordinary one. */
    modelOverrides: Readonly<Record<string, Partial<CompactionSettings>>>;
  };
  branchSummary: { reserveTokens: number };
  retry: { enabled: boolean; maxRetries: number; baseDelayMs: number; maxDelayMs: number };
  steeringMode: QueueMode;
  followUpMode: QueueMode;
}

export const DEFAULT_HARNESS_SETTINGS: HarnessSettings = {
  compaction: { ...DEFAULT_COMPACTION_SETTINGS, modelOverrides: {} },
  branchSummary: { reserveTokens: 16384 },
  retry: { enabled: true, maxRetries: 3, baseDelayMs: 2000, maxDelayMs: 60_000 },
  steeringMode: "one-at-a-time",
  followUpMode: "one-at-a-time",
};

/** Compaction settings as they hold for a model: its overrides first, then the cap by its window. */
export function compactionSettingsFor(settings: HarnessSettings, model: Model, window: number): CompactionSettings {
  const { modelOverrides, ...ordinary } = settings.compaction;
  return effectiveSettings({ ...ordinary, ...modelOverrides[modelKey(model)] }, window);
}
