// Tells screen readers what happened: politely and seldom; only an approval interrupts.
import type { ChatState, TranscriptItem } from "../protocol/view-state.ts";
import { h } from "./dom.ts";
import { t } from "./strings.ts";

/** Milliseconds between two polite announcements (checklist 61). */
const PAUSE_MS = 3000;

/** What changed between two states in words worth hearing; empty where nothing did. */
export function describeChange(before: ChatState | null, after: ChatState): { polite: string[]; urgent: string } {
  const polite: string[] = [];
  if (!before || before.session?.id !== after.session?.id) return { polite, urgent: approvalText(before, after) };
  if (phaseOf(before) !== phaseOf(after)) polite.push(phaseText(phaseOf(before), phaseOf(after)));
  // What is worth hearing happens at the end; a long conversation must not make each step dear.
  const known = new Map(before.items.slice(-60).map((item) => [item.id, item]));
  for (const item of after.items.slice(-20)) {
    const old = known.get(item.id);
    if (old !== item) polite.push(itemText(old, item));
  }
  if (!before.session?.unsavedReason && after.session?.unsavedReason)
    polite.push(t("Not saved: {0}", after.session.unsavedReason));
  return { polite: polite.filter((text) => text !== ""), urgent: approvalText(before, after) };
}

function approvalText(before: ChatState | null, after: ChatState): string {
  const first = after.approvals[0];
  if (!first || before?.approvals[0]?.nonce === first.nonce) return "";
  return t("Approval needed: {0}", first.title);
}

/** Whether a compaction is due is looked at before each prompt: only one that has progress is one. */
function phaseOf({ phase, progress }: ChatState): ChatState["phase"] {
  return phase === "compaction" && progress === null ? "turn" : phase;
}

function phaseText(before: ChatState["phase"], after: ChatState["phase"]): string {
  if (after === "compaction") return t("Compacting");
  if (after === "branchSummary") return t("Summarising the branch");
  if (after === "idle") return before === "compaction" ? t("Compaction finished") : t("Coppice has finished");
  return before === "idle" ? t("Coppice is working") : "";
}

function itemText(before: TranscriptItem | undefined, after: TranscriptItem): string {
  if (after.kind === "notice" && !before) return after.text.slice(0, 200);
  if (after.kind !== "tool" || (before?.kind === "tool" && before.status === after.status)) return "";
  if (after.status === "running") return t("Running {0}", after.name);
  if (after.status === "error") return t("{0} failed", after.name);
  return "";
}

export class Announcer {
  readonly #polite = h("div", { class: "sr-only", "aria-live": "polite", role: "status" });
  readonly #urgent = h("div", { class: "sr-only", "aria-live": "assertive", role: "alert" });
  readonly element = h("div", {}, this.#polite, this.#urgent);
  #waiting: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  update(before: ChatState | null, after: ChatState): void {
    const { polite, urgent } = describeChange(before, after);
    if (urgent !== "") this.#urgent.textContent = urgent;
    else if (after.approvals.length === 0) this.#urgent.textContent = "";
    for (const text of polite) this.say(text);
  }

  /** Says it at once where there was silence; otherwise with what else came, after the pause. */
  say(text: string): void {
    if (!this.#waiting.includes(text)) this.#waiting.push(text);
    if (this.#timer !== undefined) return;
    this.#flush();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#waiting.length > 0) this.say(this.#waiting.pop()!);
    }, PAUSE_MS);
  }

  #flush(): void {
    this.#polite.textContent = this.#waiting.slice(-3).join(". ");
    this.#waiting = [];
  }
}
