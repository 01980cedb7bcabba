// What happens in an open session, told in its conversation: failures, damage, other writers, a run that was cut off.
import * as vscode from "vscode";
import type { HarnessEvent } from "../core/harness/harness-events.ts";
import type { SessionChange } from "../core/session/session.ts";
import { isVisible, visibleParent } from "../core/session/siblings.ts";
import type { KeptWords } from "./kept-words.ts";
import { damageNotice, type Notice, noticeFor } from "./session-notices.ts";
import type { OpenSession } from "./session-service.ts";

/** A note in a conversation. */
export type Notify = (open: OpenSession, level: Notice["level"], text: string, actions?: Notice["actions"]) => void;

export interface WatchServices {
  words: KeptWords;
  log: Pick<vscode.LogOutputChannel, "info" | "warn">;
  notice: Notify;
}

export class SessionWatch {
  readonly #services: WatchServices;
  /** Sessions whose last run ended because it could not be saved. */
  readonly #unsaved = new WeakSet<OpenSession>();

  constructor(services: WatchServices) {
    this.#services = services;
  }

  async hear(open: OpenSession, event: HarnessEvent): Promise<void> {
    if (event.type === "entries_saved") this.#tellSaved(open);
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
    this.#tellInterruption(open);
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
    const count = change.appended.length;
    const text =
      count === 1
        ? vscode.l10n.t("Another window or program added an entry to this session. Nothing is lost: the tree shows it.")
        : vscode.l10n.t(
            "Another window or program added {0} entries to this session. Nothing is lost: the tree shows them.",
            count,
          );
    this.#services.notice(open, "info", text);
  }

  /** What a run was waiting for is on disk; with the next message a run begins anyway. */
  #tellSaved(open: OpenSession): void {
    if (!this.#unsaved.delete(open) || open.phase !== "idle") return;
    this.#services.notice(open, "info", vscode.l10n.t("Everything is saved now. The model was not asked yet."), [
      { id: "retry", title: vscode.l10n.t("Try Again") },
    ]);
  }

  #tellInterruption(open: OpenSession): void {
    const { session } = open;
    const leafId = session.getLeafId();
    if (leafId === null || open.phase !== "idle") return;
    const node = session.node(leafId);
    const last = node !== undefined && isVisible(node) ? leafId : visibleParent(session, leafId);
    const role = last === null ? undefined : session.node(last)?.role;
    if (role !== "user" && role !== "toolResult") return;
    this.#services.notice(open, "info", vscode.l10n.t("The last run was cut off; nothing was run again."), [
      { id: "retry", title: vscode.l10n.t("Go On") },
    ]);
  }
}
