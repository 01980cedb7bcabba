// Asks before something is done: shows all of it, and takes no answer by accident.
import type { ApprovalView } from "../protocol/view-state.ts";
import { revealText } from "./clean-text.ts";
import { diffCounts, diffView } from "./diff-view.ts";
import { type Child, fill, h, show } from "./dom.ts";
import { icon } from "./icons.ts";
import type { PageContext } from "./page-context.ts";
import { t } from "./strings.ts";

/** Milliseconds in which a click was meant for what stood there before: a double click must not answer two questions. */
const SETTLE_MS = 300;

export class Approvals {
  readonly element = h("div", { class: "approvals", hidden: true });
  readonly #context: PageContext;
  readonly #composer: HTMLElement;
  #nonce = "";
  #count = 0;
  #tookFocus = false;

  /** `composer` is the text box that the focus comes from and goes back to. */
  constructor(context: PageContext, composer: HTMLElement) {
    this.#context = context;
    this.#composer = composer;
  }

  /** Shows the first question; the others wait. */
  update(approvals: readonly ApprovalView[]): void {
    const first = approvals[0];
    if ((first?.nonce ?? "") === this.#nonce && approvals.length === this.#count) return;
    const isNew = (first?.nonce ?? "") !== this.#nonce;
    const hadFocus = this.element.contains(document.activeElement);
    const wasTyping = document.activeElement === this.#composer;
    this.#nonce = first?.nonce ?? "";
    this.#count = approvals.length;
    const group = first && this.#group(first, approvals.length);
    fill(this.element, group);
    show(this.element, group !== undefined);
    if (group && isNew && (wasTyping || hadFocus)) {
      this.#tookFocus ||= wasTyping;
      group.focus({ preventScroll: true });
    } else if (group && hadFocus) {
      group.focus({ preventScroll: true });
    } else if (!group && hadFocus) {
      // Back to where the focus was taken from (checklist 63).
      this.#composer.focus();
    }
    if (!group) this.#tookFocus = false;
  }

  #group(approval: ApprovalView, count: number): HTMLElement {
    const group = h(
      "div",
      { class: "approval", role: "group", "aria-label": t("Approval"), tabindex: -1, "data-nonce": approval.nonce },
      h(
        "div",
        { class: "approval-head" },
        icon("shield"),
        h("span", { class: "approval-title" }, ...revealed(approval.title)),
        count > 1 && h("span", { class: "note" }, t("1 of {0}", count)),
      ),
      ...approval.warnings.map((warning) =>
        h("div", { class: "approval-warning" }, icon("warning"), h("span", {}, ...revealed(warning))),
      ),
      this.#subject(approval),
      this.#buttons(approval),
    );
    group.addEventListener("keydown", (event) => this.#onKey(event, group));
    return group;
  }

  #subject(approval: ApprovalView): HTMLElement {
    const parts: Child[] = [];
    if (approval.path !== undefined) {
      parts.push(
        h(
          "div",
          { class: "approval-path", dir: "ltr" },
          icon("file"),
          h("span", {}, ...revealed(approval.path)),
          approval.diff && diffCounts(approval.diff),
        ),
      );
    }
    if (approval.command !== undefined) {
      const pieces = revealed(approval.command);
      const marked = pieces.some((piece) => typeof piece !== "string");
      parts.push(
        h(
          "pre",
          { class: "approval-command", tabindex: 0, dir: "ltr", role: "group", "aria-label": t("Command") },
          ...pieces,
        ),
        marked &&
          h(
            "div",
            { class: "approval-warning" },
            icon("warning"),
            t("The marked characters are not plain ASCII or cannot be seen."),
          ),
      );
    }
    if (approval.diff) {
      parts.push(diffView(approval.diff, () => this.#context.post({ type: "diff.open", callId: approval.callId })));
    }
    return h("div", { class: "approval-subject" }, ...parts);
  }

  #buttons(approval: ApprovalView): HTMLElement {
    let answered = false;
    const answer = (decision: "allow" | "deny" | "allowForSession") => () => {
      answered = true;
      enable(false);
      this.#context.post({ type: "approval.answer", nonce: approval.nonce, decision });
      if (this.#tookFocus) this.#composer.focus();
      this.#tookFocus = false;
    };
    const scope = approval.sessionScope;
    const row = h(
      "div",
      { class: "approval-answers" },
      h("button", { type: "button", class: "button", click: answer("allow") }, t("Allow")),
      h("button", { type: "button", class: "button secondary", click: answer("deny") }, t("Deny")),
      scope !== undefined &&
        h(
          "button",
          {
            type: "button",
            class: "button secondary for-session",
            title: scope,
            "aria-description": scope,
            click: answer("allowForSession"),
          },
          t("Allow for session"),
        ),
    );
    const enable = (enabled: boolean) => {
      for (const button of row.querySelectorAll("button")) button.disabled = !enabled;
    };
    enable(false);
    setTimeout(() => enable(!answered), SETTLE_MS);
    return row;
  }

  /** Who went on typing goes on typing: the key lands in the composer. Enter on the group itself does nothing. */
  #onKey(event: KeyboardEvent, group: HTMLElement): void {
    if (event.target !== group) return;
    const types =
      event.key.length === 1 || event.key === "Backspace" || event.key === "Process" || event.key === "Dead";
    if (types && !event.ctrlKey && !event.metaKey && !event.altKey) this.#composer.focus();
    else if (event.key === "Enter") event.preventDefault();
  }
}

function revealed(text: string): Child[] {
  return revealText(text).map((piece) =>
    piece.kind === "plain" ? piece.text : h("mark", { class: `char-${piece.kind}` }, piece.text),
  );
}
