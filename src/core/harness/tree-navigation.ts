// Moving the position in the tree, with or without a summary of the branch that is left (seed 2, behaviours §6).
import { generateBranchSummary, prepareBranchEntries } from "../compaction/branch-summarization.ts";
import { fileLists } from "../compaction/file-operations.ts";
import type { Summarizer } from "../compaction/generate-summary.ts";
import { CompactionError, HarnessError, SessionError } from "../errors.ts";
import type { ImageContent, Usage } from "../llm/messages.ts";
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
  /** A summary that the person wrote, instead of a generated one. */
  summary?: string | undefined;
  /** A summary that `draftBranchSummary` wrote for this move, its text edited or not; hooks have had their say then. */
  draft?: BranchSummaryDraft | undefined;
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

/** A branch summary that is not attached yet. Only its text is the person's to change. */
export interface BranchSummaryDraft {
  summary: string;
  readonly targetId: string | null;
  /** The position that it was written for. */
  readonly oldLeafId: string | null;
  readonly details?: unknown;
  readonly usage?: Usage;
  readonly fromHook?: boolean;
  /** The label that was asked for, or that a hook gave. */
  readonly label?: string;
}

export interface NavigationHost {
  session: Session;
  hooks: Hooks;
  summarizer: () => Summarizer;
  reserveTokens: () => number;
}

type Summary = Omit<Extract<NewEntry, { type: "branch_summary" }>, "type">;

/** What is to be written with a move; undefined where a hook or the person cancelled it. */
interface Prepared {
  summary: Summary | undefined;
  label: string | undefined;
}

function mustExist(session: Session, entryId: string | null): void {
  if (entryId !== null && session.node(entryId) === undefined) {
    throw new SessionError("not_found", `There is no entry ${entryId} in this session.`);
  }
}

/** Asks the hooks and writes the summary that is wanted; the session stays as it is. */
async function prepareMove(
  host: NavigationHost,
  targetId: string | null,
  options: NavigateOptions,
  signal: AbortSignal,
): Promise<Prepared | undefined> {
  const { session, hooks } = host;
  const oldLeafId = session.getLeafId();
  let { customInstructions, replaceInstructions, label } = options;
  if (!options.summarize && !hooks.has("session_before_tree")) return { summary: undefined, label };
  const { ids, commonAncestorId } = planNavigation(session, targetId);
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
  if (verdict.cancel === true || signal.aborted) return undefined;
  customInstructions = verdict.customInstructions ?? customInstructions;
  replaceInstructions = verdict.replaceInstructions ?? replaceInstructions;
  label = verdict.label ?? label;
  if (!options.summarize) return { summary: undefined, label };
  const fromId = oldLeafId ?? "root";
  if (typeof verdict.summary?.summary === "string") {
    const { summary, details, usage } = verdict.summary;
    const given = { ...(details === undefined ? {} : { details }), ...(usage === undefined ? {} : { usage }) };
    return { summary: { fromId, summary, fromHook: true, ...given }, label };
  }
  if (options.summary !== undefined) {
    const details = fileLists(prepareBranchEntries(entries).fileOps);
    return { summary: { fromId, summary: options.summary, details }, label };
  }
  if (entries.length === 0) return { summary: undefined, label };
  const shared = new Set(session.pathTo(targetId));
  try {
    const result = await generateBranchSummary(entries, host.summarizer(), {
      signal,
      reserveTokens: host.reserveTokens(),
      customInstructions,
      replaceInstructions,
      pinned: await pinnedTexts(session, oldLeafId, shared),
    });
    return { summary: { fromId, ...result }, label };
  } catch (error) {
    if (error instanceof CompactionError && error.code === "aborted") return undefined;
    throw error;
  }
}

/**
 * The summary that a move with one would attach, to be edited and handed to `navigateTree`; writes nothing and moves
 * nothing. Undefined where a hook or the person cancelled. Throws SessionError where there is nothing to summarise,
 * CompactionError where the summary fails.
 */
export async function draftBranchSummary(
  host: NavigationHost,
  entryId: string | null,
  options: Omit<NavigateOptions, "summarize" | "summary" | "draft" | "edit">,
  signal: AbortSignal,
): Promise<BranchSummaryDraft | undefined> {
  mustExist(host.session, entryId);
  const oldLeafId = host.session.getLeafId();
  const prepared =
    entryId === oldLeafId
      ? { summary: undefined, label: undefined }
      : await prepareMove(host, entryId, { ...options, summarize: true }, signal);
  if (prepared === undefined || signal.aborted) return undefined;
  const { summary, label } = prepared;
  if (summary === undefined) {
    throw new SessionError(
      "invalid_argument",
      "Nothing is left behind by going there, so there is nothing to summarise.",
    );
  }
  const { fromId: _from, ...written } = summary;
  return { ...written, targetId: entryId, oldLeafId, ...(label === undefined ? {} : { label }) };
}

/** The parts of an edited draft that go into the entry; throws `invalid_state` where it was written for another place. */
function preparedFrom(session: Session, draft: BranchSummaryDraft, targetId: string | null): Prepared {
  const leafId = session.getLeafId();
  const path = session.pathTo(leafId);
  const at = draft.oldLeafId === null ? -1 : path.indexOf(draft.oldLeafId);
  const isThere = draft.oldLeafId === null || at >= 0;
  // Labels, names and positions say nothing that a summary would have to hold.
  if (draft.targetId !== targetId || !isThere || !path.slice(at + 1).every((id) => session.node(id)?.marker === true)) {
    throw new HarnessError("invalid_state", "The position has moved since the summary was written.");
  }
  const { targetId: _target, oldLeafId: _old, label, ...written } = draft;
  if (written.summary.trim() === "") throw new HarnessError("invalid_argument", "The summary is empty.");
  return { summary: { fromId: leafId ?? "root", ...written }, label };
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
  const { session } = host;
  mustExist(session, entryId);
  const edit = options.edit === true && entryId !== null ? await editTarget(session, entryId) : undefined;
  const targetId = edit === undefined ? entryId : edit.targetId;
  const editor = edit === undefined ? {} : { editorText: edit.editorText, editorImages: edit.editorImages };
  const oldLeafId = session.getLeafId();
  // Written words, a person's or a model's, are kept wherever the position is by now.
  const words = options.draft ?? (options.summarize ? options.summary : undefined);
  const isThere = targetId === oldLeafId && words === undefined;
  const prepared =
    options.draft !== undefined
      ? preparedFrom(session, options.draft, targetId)
      : isThere
        ? undefined
        : await prepareMove(host, targetId, options, signal);
  if (isThere) return { cancelled: false, leafId: oldLeafId, ...editor };
  if (prepared === undefined || signal.aborted) return { cancelled: true, leafId: oldLeafId };
  const { summary, label } = prepared;
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
