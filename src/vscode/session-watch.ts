// What happens in an open session, told in its conversation: failures, damage, other writers, a run that was cut off.
import * as vscode from "vscode";
import type { HarnessEvent } from "../core/harness/harness-events.ts";
import { isCutOff } from "../core/llm/cut-off.ts";
import type { SessionChange } from "../core/session/session.ts";
import { isVisible, visibleChildren, visibleParent } from "../core/session/siblings.ts";
import type { KeptWords } from "./kept-words.ts";
import type { OpenSession } from "./open-session.ts";
import { compactionWaitsNotice, damageNotice, type Notice, noticeFor } from "./session-notices.ts";

/** Puts a note into a conversation and returns its id. */
export type Notify = (open: OpenSession, level: Notice["level"], text: string, actions?: Notice["actions"]) => string;

/** What others added since the person was last told or went there. */
interface Added {
  noticeId: string;
  count: number;
  /** The newest of them. */
  entryId: string;
}

export interface WatchServices {
  words: KeptWords;
  log: Pick<vscode.LogOutputChannel, "info" | "warn">;
  notice: Notify;
}

export class SessionWatch {
  readonly #services: WatchServices;
  readonly #added = new WeakMap<OpenSession, Added>();
  /** Sessions in which a compaction waits for the person. */
  readonly #waits = new WeakSet<OpenSession>();
  /** Sessions whose last run ended because it could not be saved. */
  readonly #unsaved = new WeakSet<OpenSession>();

  constructor(services: WatchServices) {
    this.#services = services;
  }

  async hear(open: OpenSession, event: HarnessEvent): Promise<void> {
    if (event.type === "entries_saved") this.#tellSaved(open);
    // Looked at before a run and behind it; said once, when the person is to go on.
    if (event.type === "compaction_waits") {
      this.#waits.add(open);
      return;
    }
    if (event.type === "settled" && this.#waits.delete(open)) {
      const waits = compactionWaitsNotice();
      this.#services.notice(open, waits.level, waits.text, waits.actions);
    }
    // That it could not be saved was told when it was seen; no request failed.
    const isKnown = event.type === "run_failed" && open.unsavedReason !== undefined;
    if (isKnown) this.#unsaved.add(open);
    const notice = isKnown ? undefined : noticeFor(event);
    if (notice !== undefined) this.#services.notice(open, notice.level, notice.text, notice.actions);
    if (event.type === "compaction_end" && event.entryId !== undefined) {
      const { reason, tokensBefore, tokensAfter } = event;
      this.#services.log.info(`Compaction (${reason}): ${tokensBefore} → about ${tokensAfter} tokens.`);
    }
    await this.#services.words.hear(open, event);
  }

  /** A session was opened: what was cut off, what is damaged, and what was queued is said; nothing is run again by itself. */
  async opened(open: OpenSession): Promise<void> {
    const returned = this.#services.words.restore(open);
    await open.session.ready();
    await this.#tellInterruption(open);
    const bad = open.session.badLines();
    for (const { line, reason } of bad.slice(0, 50)) {
      this.#services.log.warn(`${open.session.file} line ${line}: ${reason}`);
    }
    const damage = damageNotice(bad);
    if (damage !== undefined) this.#services.notice(open, damage.level, damage.text, damage.actions);
    const count = await returned;
    if (count === 0) return;
    const text =
      count === 1
        ? vscode.l10n.t("A queued message was not sent before the window closed. It is in the composer again.")
        : vscode.l10n.t(
            "{0} queued messages were not sent before the window closed. They are in the composer again.",
            count,
          );
    this.#services.notice(open, "info", text);
  }

  /** Another program wrote to the file. */
  changed(open: OpenSession, change: SessionChange): void {
    if (!change.external) return;
    if (change.appended.length === 0) {
      const changed = vscode.l10n.t(
        "Another program changed the session file. What is shown is what the file holds now; the rest is no longer there.",
      );
      this.#services.notice(open, "warning", changed);
      return;
    }
    const { session } = open;
    const added = change.appended.filter((id) => {
      const node = session.node(id);
      return node !== undefined && isVisible(node);
    });
    const newest = added.at(-1);
    // Labels, names and moves of others show where they belong.
    if (newest === undefined || follow(open, added, newest)) return;
    const earlier = this.#added.get(open);
    const stands = earlier !== undefined && open.live.dismiss(earlier.noticeId);
    const count = added.length + (stands ? earlier.count : 0);
    const text =
      count === 1
        ? vscode.l10n.t("Another window or program added an entry to this session. Nothing is lost.")
        : vscode.l10n.t("Another window or program added {0} entries to this session. Nothing is lost.", count);
    const show = count === 1 ? vscode.l10n.t("Show It") : vscode.l10n.t("Show Them");
    const noticeId = this.#services.notice(open, "info", text, [{ id: "showAdded", title: show }]);
    this.#added.set(open, { noticeId, count, entryId: newest });
  }

  /** Shows the branch on which another program went on. */
  showAdded(open: OpenSession): void {
    const added = this.#added.get(open);
    if (added === undefined) return;
    this.#added.delete(open);
    open.live.dismiss(added.noticeId);
    if (open.session.node(added.entryId) !== undefined) open.show(added.entryId);
  }

  /** What a run was waiting for is on disk; with the next message a run begins anyway. */
  #tellSaved(open: OpenSession): void {
    if (!this.#unsaved.delete(open) || open.phase !== "idle") return;
    this.#services.notice(open, "info", vscode.l10n.t("Everything is saved now. The model was not asked yet."), [
      { id: "retry", title: vscode.l10n.t("Try Again") },
    ]);
  }

  async #tellInterruption(open: OpenSession): Promise<void> {
    const { session } = open;
    const leafId = session.getLeafId();
    if (leafId === null) return;
    const node = session.node(leafId);
    const last = node !== undefined && isVisible(node) ? leafId : visibleParent(session, leafId);
    if (last === null || !(await lacksAnswer(session, last))) return;
    if (open.phase !== "idle" || session.getLeafId() !== leafId) return;
    const text =
      open.isCopy && session.node(last)?.role === "user"
        ? vscode.l10n.t("The last message has no answer here yet.")
        : vscode.l10n.t("The last run was cut off; nothing was run again.");
    this.#services.notice(open, "info", text, [{ id: "retry", title: vscode.l10n.t("Go On") }]);
  }
}

/** True where a branch ends with what waits for an answer, or with a part of one that the session's closing cut off. */
async function lacksAnswer(session: OpenSession["session"], lastId: string): Promise<boolean> {
  const role = session.node(lastId)?.role;
  if (role !== "assistant") return role === "user" || role === "toolResult";
  const entry = await session.getEntry(lastId);
  return entry?.type === "message" && entry.message.role === "assistant" && isCutOff(entry.message);
}

/** Who looks at the end of a branch sees it grow; true where that is the branch that grew. */
function follow(open: OpenSession, added: readonly string[], newest: string): boolean {
  const { session, shownLeafId } = open;
  if (typeof shownLeafId !== "string") return false;
  if (!session.pathTo(newest).includes(shownLeafId)) return false;
  if (!visibleChildren(session, shownLeafId).every((id) => added.includes(id))) return false;
  open.showEnd(newest);
  return true;
}
