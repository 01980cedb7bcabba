// The way back to a compaction that was undone, and what is told of the words said since.
import * as vscode from "vscode";
import { SessionError } from "../core/errors.ts";
import { UNDO_CUSTOM_TYPE } from "../core/harness/session-memory.ts";
import type { Session } from "../core/session/session.ts";
import { leafThrough } from "../core/session/siblings.ts";
import { type EntryActions, TOLD_MS } from "./entry-actions.ts";
import type { OpenSession } from "./open-session.ts";

/**
 * Goes back to the branch of the compaction that was last undone here. What was said since is then out of sight and out of the
 * context, on a branch of its own: that is told, with the way back. Throws SessionError `invalid_argument` where none was undone.
 */
export async function redoCompaction(open: OpenSession, entryActions: EntryActions): Promise<void> {
  const { session } = open;
  await session.ready();
  const undone = await lastUndone(session);
  if (undone === undefined) {
    throw new SessionError("invalid_argument", vscode.l10n.t("No compaction was undone on this branch."));
  }
  const from = session.getLeafId();
  const said = await saidSince(session, undone);
  if (!(await entryActions.moveTo(open, leafThrough(session, undone.compactionId), { summarize: false }))) return;
  if (said === 0) {
    vscode.window.setStatusBarMessage(vscode.l10n.t("The compaction is back."), TOLD_MS);
    return;
  }
  const back = vscode.l10n.t("Go Back");
  const answer = await vscode.window.showInformationMessage(
    said === 1
      ? vscode.l10n.t("The compaction is back. Your message since it was undone stays on a branch of its own.")
      : vscode.l10n.t(
          "The compaction is back. Your {0} messages since it was undone stay on a branch of their own.",
          said,
        ),
    back,
  );
  if (answer === back) await entryActions.moveTo(open, from, { summarize: false });
}

interface Undone {
  /** The entry that took the compaction back. */
  entryId: string;
  compactionId: string;
  timeMs: number;
}

/** The compaction that was last undone on the way to the position. */
async function lastUndone(session: Session): Promise<Undone | undefined> {
  const customs = session.pathTo(session.getLeafId()).filter((id) => session.node(id)?.type === "custom");
  for (const entry of (await session.getEntries(customs)).reverse()) {
    if (entry.type !== "custom" || entry.customType !== UNDO_CUSTOM_TYPE) continue;
    const id = (entry.data as { compactionId?: unknown } | undefined)?.compactionId;
    if (typeof id !== "string" || session.node(id)?.type !== "compaction") continue;
    return { entryId: entry.id, compactionId: id, timeMs: Date.parse(entry.timestamp) };
  }
  return undefined;
}

/** Messages of the person since an undo; the copies that it made keep the time at which they were first said. */
async function saidSince(session: Session, { entryId, timeMs }: Undone): Promise<number> {
  const path = session.pathTo(session.getLeafId());
  const after = path.slice(path.indexOf(entryId) + 1).filter((id) => session.node(id)?.role === "user");
  const entries = await session.getEntries(after);
  return entries.filter((entry) => entry.type === "message" && entry.message.timestamp > timeMs).length;
}
