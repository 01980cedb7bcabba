// Moving the position in the tree, with or without a summary of the branch that is left (seed 2, behaviours §6).
import { generateBranchSummary } from "../compaction/branch-summarization.ts";
import type { Summarizer } from "../compaction/generate-summary.ts";
import { CompactionError, SessionError } from "../errors.ts";
import type { ImageContent } from "../llm/messages.ts";
import type { NewEntry } from "../session/entries.ts";
import type { Session } from "../session/session.ts";
import type { Hooks } from "./hooks.ts";
import { editTarget, planNavigation } from "./navigation-plan.ts";
import { pinnedTexts } from "./session-memory.ts";

export interface NavigateOptions {
  /** Summarise what is left behind and attach it to the target. */
  summarize: boolean;
  customInstructions?: string | undefined;
  replaceInstructions?: boolean | undefined;
  label?: string | undefined;
  /** A summary that the person wrote or edited, instead of a generated one. */
  summary?: string | undefined;
  /** Edit and resend: the position goes to the parent of this user message, whose text goes to the composer. */
  edit?: boolean | undefined;
}

export interface NavigateResult {
  /** Hook or person cancelled: nothing moved. */
  cancelled: boolean;
  leafId: string | null;
  summaryEntryId?: string;
  /** For the composer. */
  editorText?: string;
  editorImages?: ImageContent[];
}

export interface NavigationHost {
  session: Session;
  hooks: Hooks;
  summarizer: () => Summarizer;
  reserveTokens: () => number;
}

/**
 * Moves the position. Everything that can fail or be cancelled comes before the one write that moves: on an error or a
 * cancel nothing has changed. Throws SessionError for a target that does not exist, CompactionError where the summary fails.
 */
export async function navigateTree(
  host: NavigationHost,
  entryId: string | null,
  options: NavigateOptions,
  signal: AbortSignal,
): Promise<NavigateResult> {
  const { session, hooks } = host;
  if (entryId !== null && session.node(entryId) === undefined) {
    throw new SessionError("not_found", `There is no entry ${entryId} in this session.`);
  }
  const edit = options.edit === true && entryId !== null ? await editTarget(session, entryId) : undefined;
  const targetId = edit === undefined ? entryId : edit.targetId;
  const editor = edit === undefined ? {} : { editorText: edit.editorText, editorImages: edit.editorImages };
  const oldLeafId = session.getLeafId();
  if (targetId === oldLeafId) return { cancelled: false, leafId: oldLeafId, ...editor };

  const { ids, commonAncestorId } = planNavigation(session, targetId);
  let summary: Omit<Extract<NewEntry, { type: "branch_summary" }>, "type"> | undefined;
  let { customInstructions, replaceInstructions, label } = options;
  if (options.summarize || hooks.has("session_before_tree")) {
    const entries = await session.getEntries(ids);
    const verdict = await hooks.sessionBeforeTree({
      preparation: {
        targetId,
        oldLeafId,
        commonAncestorId,
        entriesToSummarize: entries,
        userWantsSummary: options.summarize,
        customInstructions,
        replaceInstructions,
        label,
      },
      signal,
    });
    if (verdict.cancel === true || signal.aborted) return { cancelled: true, leafId: oldLeafId };
    customInstructions = verdict.customInstructions ?? customInstructions;
    replaceInstructions = verdict.replaceInstructions ?? replaceInstructions;
    label = verdict.label ?? label;
    const fromId = oldLeafId ?? "root";
    if (options.summarize && typeof verdict.summary?.summary === "string") {
      summary = {
        fromId,
        summary: verdict.summary.summary,
        fromHook: true,
        ...(verdict.summary.details === undefined ? {} : { details: verdict.summary.details }),
        ...(verdict.summary.usage === undefined ? {} : { usage: verdict.summary.usage }),
      };
    } else if (options.summarize && options.summary !== undefined) {
      summary = { fromId, summary: options.summary };
    } else if (options.summarize && entries.length > 0) {
      const shared = new Set(session.pathTo(targetId));
      try {
        const result = await generateBranchSummary(entries, host.summarizer(), {
          signal,
          reserveTokens: host.reserveTokens(),
          customInstructions,
          replaceInstructions,
          pinned: await pinnedTexts(session, oldLeafId, shared),
        });
        summary = { fromId, ...result };
      } catch (error) {
        if (error instanceof CompactionError && error.code === "aborted") return { cancelled: true, leafId: oldLeafId };
        throw error;
      }
    }
  }
  if (signal.aborted) return { cancelled: true, leafId: oldLeafId };
  const leafId = await session.moveTo(targetId, summary);
  if (label !== undefined && label.trim() !== "") {
    const labelled = summary === undefined ? targetId : leafId;
    if (labelled !== null) await session.appendLabel(labelled, label);
  }
  return {
    cancelled: false,
    leafId: session.getLeafId(),
    ...(summary === undefined || leafId === null ? {} : { summaryEntryId: leafId }),
    ...editor,
  };
}
