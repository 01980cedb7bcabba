// The row inside the composer: attach, the three pickers, the meter, and the buttons that send and stop.
import type { ApprovalsMode, ChatState } from "../protocol/view-state.ts";
import { ContextMeter } from "./context-meter.ts";
import { h, setAttribute, setText, show } from "./dom.ts";
import { type IconName, icon } from "./icons.ts";
import { openMenu } from "./menu.ts";
import { iconButton } from "./message-actions.ts";
import type { PageContext } from "./page-context.ts";
import { t } from "./strings.ts";

interface Picker {
  element: HTMLElement;
  button: HTMLButtonElement;
  value: HTMLElement;
}

export interface SendState {
  running: boolean;
  hasText: boolean;
  /** Why nothing can be sent; empty where it can. */
  refusal: string;
}

export class ComposerToolbar {
  readonly element: HTMLElement;
  readonly #model: Picker;
  readonly #thinking: Picker;
  readonly #approvals: Picker;
  readonly #meter: ContextMeter;
  readonly #send: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #options: HTMLButtonElement;
  readonly #attach: HTMLButtonElement;

  constructor(context: PageContext, submit: (mode: "steer" | "followUp") => void) {
    this.#attach = iconButton("attach", t("Attach"), () => context.post({ type: "attachment.add" }));
    this.#model = picker("model", t("Model"), () => context.post({ type: "model.pick" }));
    this.#model.element.classList.add("shrinks");
    this.#thinking = picker("thinking", t("Thinking"), () => context.post({ type: "thinking.pick" }));
    this.#approvals = picker("shield", t("Approvals"), () => this.#openApprovals(context));
    for (const name of ["aria-haspopup", "aria-expanded"]) {
      this.#approvals.button.setAttribute(name, name === "aria-haspopup" ? "menu" : "false");
    }
    this.#meter = new ContextMeter(() => context.post({ type: "context.inspect" }));
    this.#send = iconButton("send", t("Send"), () => submit("steer"), "primary");
    this.#stop = iconButton("stop", t("Stop"), () => context.post({ type: "run.stop" }), "stop");
    this.#options = iconButton("chevronDown", t("Send options"), () => this.#openOptions(submit), "slim");
    this.#options.setAttribute("aria-haspopup", "menu");
    this.#options.setAttribute("aria-expanded", "false");
    this.element = h(
      "div",
      { class: "toolbar" },
      this.#attach,
      this.#model.element,
      this.#thinking.element,
      this.#approvals.element,
      h("span", { class: "spring" }),
      h(
        "span",
        { class: "toolbar-end" },
        this.#meter.element,
        this.#stop,
        h("span", { class: "send-group" }, this.#send, this.#options),
      ),
    );
  }

  update(chat: ChatState | null, send: SendState): void {
    const model = chat?.model ?? null;
    setPicker(
      this.#model,
      model ? model.name : t("Choose model"),
      model ? `${model.name} (${model.provider})` : t("No model chosen"),
    );
    this.#model.element.classList.toggle("attention", chat !== null && model === null);
    const levels = chat?.thinkingLevels ?? [];
    show(this.#thinking.element, levels.length > 1);
    setPicker(this.#thinking, chat?.thinkingLevel ?? "", chat?.thinkingLevel ?? "");
    const mode = chat?.approvalsMode ?? "ask";
    setPicker(this.#approvals, modeShort(mode), modeTitle(mode));
    this.#approvals.element.classList.toggle("attention", mode === "all");
    this.#meter.update(chat?.context ?? null);
    show(this.#stop, send.running);
    // While nothing is typed, a run needs Stop only.
    show(this.#send, !send.running || send.hasText);
    show(this.#options, send.running && send.hasText && send.refusal === "");
    this.#send.disabled = send.refusal !== "" || !send.hasText;
    setAttribute(
      this.#send,
      "title",
      send.refusal !== "" ? send.refusal : send.running ? t("Send into the run (Enter)") : t("Send (Enter)"),
    );
    setAttribute(this.#stop, "title", t("Stop (Esc)"));
    this.#attach.disabled = chat === null;
  }

  #openApprovals(context: PageContext): void {
    const now = context.chat()?.approvalsMode ?? "ask";
    const modes: [ApprovalsMode, string][] = [
      ["ask", t("Every change and every command is shown first.")],
      ["edits", t("Edits inside the workspace go ahead; commands ask.")],
      ["all", t("Nothing asks, except what is marked as dangerous.")],
    ];
    openMenu(
      this.element,
      this.#approvals.button,
      t("Approvals"),
      modes.map(([mode, detail]) => ({
        title: modeTitle(mode),
        detail,
        checked: mode === now,
        run: () => context.post({ type: "approvals.setMode", mode }),
      })),
    );
  }

  #openOptions(submit: (mode: "steer" | "followUp") => void): void {
    openMenu(this.element, this.#options, t("Send options"), [
      { title: t("Steer this run"), detail: t("Enter: read before the next step"), run: () => submit("steer") },
      {
        title: t("After this run"),
        detail: t("Alt+Enter: waits until the run has ended"),
        run: () => submit("followUp"),
      },
    ]);
  }
}

/** The value stands under the button, not in it: the name is what it picks, the value its description. */
function picker(name: IconName, title: string, click: () => void): Picker {
  const value = h("span", { class: "picker-value" });
  const button = h("button", { type: "button", class: "picker-button", "aria-label": title, click });
  return { element: h("span", { class: "picker" }, icon(name), value, button), button, value };
}

function setPicker(one: Picker, shown: string, description: string): void {
  setText(one.value, shown);
  setAttribute(one.button, "aria-description", description);
  setAttribute(one.button, "title", `${one.button.getAttribute("aria-label")}: ${description}`);
}

function modeTitle(mode: ApprovalsMode): string {
  return mode === "ask" ? t("Ask for approval") : mode === "edits" ? t("Allow edits") : t("Allow everything");
}

function modeShort(mode: ApprovalsMode): string {
  return mode === "ask" ? t("Ask") : mode === "edits" ? t("Edits") : t("All");
}
