// Owns the text that is being written: growing, sending, queueing, recalling; a draft goes only when it was accepted.
import type { FromWebview } from "../protocol/from-webview.ts";
import type { ChatState } from "../protocol/view-state.ts";
import { Chips } from "./chips-view.ts";
import { isRunning, remainingText, sendRefusal, slashMatches } from "./composer-draft.ts";
import { ComposerToolbar } from "./composer-toolbar.ts";
import { h, setAttribute, setText, show } from "./dom.ts";
import type { PageContext } from "./page-context.ts";
import { droppedUris, readImages } from "./picked-images.ts";
import { type Draft, type DraftImage, isSendable } from "./saved-page.ts";
import { SlashList } from "./slash-list.ts";
import { t } from "./strings.ts";

/** What stands beside the message when it leaves an earlier point (see viewing-bar.ts). */
export type Leaving = NonNullable<Extract<FromWebview, { type: "prompt.submit" }>["leaving"]>;

interface Sent {
  submitId: string;
  text: string;
  images: readonly DraftImage[];
  at: number;
}

/** Milliseconds after which a message without an answer may be sent again. */
const PATIENCE_MS = 10_000;

export class Composer {
  readonly element: HTMLElement;
  readonly input: HTMLTextAreaElement;
  readonly #context: PageContext;
  readonly #changed: () => void;
  readonly #leaving: () => Leaving | undefined;
  readonly #error = h("div", { class: "composer-error", role: "alert", hidden: true });
  readonly #chips = new Chips();
  readonly #slash: SlashList;
  readonly #toolbar: ComposerToolbar;
  #chat: ChatState | null = null;
  #images: DraftImage[] = [];
  #sent: Sent | null = null;
  /** Steps back through what was said; 0 is the draft. */
  #recalled = 0;

  /** `changed` is called when the draft should be kept; `leaving` says how a branch is left by sending. */
  constructor(context: PageContext, changed: () => void, leaving: () => Leaving | undefined) {
    this.#context = context;
    this.#changed = changed;
    this.#leaving = leaving;
    this.input = h("textarea", {
      class: "input",
      rows: 1,
      dir: "auto",
      "aria-label": t("Message Coppice"),
      "aria-autocomplete": "list",
      spellcheck: "true",
    });
    this.#slash = new SlashList(this.input, (name) => this.#complete(name));
    this.#toolbar = new ComposerToolbar(context, (mode) => this.submit(mode));
    const box = h("div", { class: "composer-box" }, this.#chips.element, this.input, this.#toolbar.element);
    this.element = h("div", { class: "composer" }, this.#error, this.#slash.element, box);
    this.input.addEventListener("input", () => this.#onInput());
    this.input.addEventListener("keydown", (event) => this.#onKey(event));
    this.input.addEventListener("paste", (event) => this.#onPaste(event));
    this.input.addEventListener("blur", () => this.#slash.close());
    box.addEventListener("mousedown", (event) => {
      if (event.target !== box && event.target !== this.#toolbar.element) return;
      event.preventDefault();
      this.input.focus();
    });
    listenForDrops(document.body, box, (transfer) => this.#onDrop(transfer));
  }

  update(chat: ChatState | null): void {
    // What stood in the way is gone: so is the word about it.
    if (sendRefusal(this.#chat) !== "" && sendRefusal(chat) === "") this.#setError("");
    this.#chat = chat;
    setAttribute(this.input, "placeholder", placeholder(chat));
    const readOnly = chat?.session?.readOnlyReason !== undefined;
    if (this.input.readOnly !== readOnly) this.input.readOnly = readOnly;
    this.#refresh();
  }

  get draft(): Draft {
    return {
      text: this.input.value,
      caret: [this.input.selectionStart, this.input.selectionEnd],
      images: this.#images,
    };
  }

  set draft(draft: Draft) {
    this.input.value = draft.text;
    this.input.setSelectionRange(...draft.caret);
    this.#images = [...draft.images];
    this.#recalled = 0;
    this.#setError("");
    this.#refresh();
  }

  /** Puts what belongs to the person back, behind what they have written since. */
  add(text: string, images: readonly { mimeType: string; data: string }[]): void {
    const now = this.input.value;
    this.setText(now.trim() === "" ? text : `${now.trimEnd()}\n\n${text}`);
    this.addImages(images);
  }

  addImages(images: readonly { mimeType: string; data: string }[]): void {
    if (images.length > 0) this.#setImages([...this.#images, ...images.filter(isSendable)].slice(0, 20));
  }

  /** Puts text in as a draft, the caret behind it. */
  setText(text: string): void {
    this.input.value = text;
    this.input.setSelectionRange(text.length, text.length);
    this.#recalled = 0;
    this.#refresh();
    this.#changed();
  }

  focus(): void {
    this.input.focus();
  }

  submit(mode: "steer" | "followUp"): void {
    const text = this.input.value;
    if (text.trim() === "" && this.#images.length === 0) return;
    const refusal = sendRefusal(this.#chat);
    if (refusal !== "") {
      this.#setError(refusal);
      return;
    }
    const isSame = this.#sent?.text === text && this.#sent.images === this.#images;
    if (this.#sent && isSame && Date.now() - this.#sent.at < PATIENCE_MS) return;
    // The same words once more are the same message: the host takes it once, however slow it is.
    const submitId = this.#sent && isSame ? this.#sent.submitId : newId();
    this.#sent = { submitId, text, images: this.#images, at: Date.now() };
    this.#setError("");
    this.#slash.close();
    const leaving = this.#leaving();
    this.#context.post({
      type: "prompt.submit",
      submitId,
      text,
      mode,
      images: this.#images.map(({ mimeType, data }) => ({ mimeType, data })),
      ...(leaving ? { leaving } : {}),
    });
    this.#refresh();
  }

  /** The message was taken: what it held leaves the composer, what was typed since stays. */
  accepted(submitId: string): void {
    if (this.#sent?.submitId !== submitId) return;
    const { text, images } = this.#sent;
    const rest = remainingText(text, this.input.value);
    const caret = Math.max(0, this.input.selectionStart - (this.input.value.length - rest.length));
    this.input.value = rest;
    this.input.setSelectionRange(caret, caret);
    this.#images = this.#images.filter((image) => !images.includes(image));
    this.#sent = null;
    this.#recalled = 0;
    this.#refresh();
    this.#changed();
  }

  refused(submitId: string, reason: string): void {
    if (this.#sent?.submitId !== submitId) return;
    this.#sent = null;
    this.#setError(reason);
    this.#refresh();
  }

  #refresh(): void {
    this.#grow();
    const hasText = this.input.value.trim() !== "" || this.#images.length > 0;
    this.#toolbar.update(this.#chat, { running: isRunning(this.#chat), hasText, refusal: sendRefusal(this.#chat) });
    this.#chips.update(this.#chat?.attachments ?? [], this.#images, {
      attachment: (id) => this.#context.post({ type: "attachment.remove", id }),
      image: (index) => this.#setImages(this.#images.filter((_, i) => i !== index)),
    });
    setAttribute(this.element, "aria-busy", this.#sent ? "true" : undefined);
    this.element.classList.toggle("sending", this.#sent !== null);
  }

  /** For browsers that cannot size a text box by its content. */
  #grow(): void {
    if (CSS.supports("field-sizing", "content")) return;
    this.input.style.height = "auto";
    this.input.style.height = `${this.input.scrollHeight}px`;
  }

  #onInput(): void {
    this.#recalled = 0;
    this.#setError("");
    this.#slash.update(slashMatches(this.input.value, this.#chat?.slashCommands ?? []));
    this.#refresh();
    this.#changed();
  }

  #onKey(event: KeyboardEvent): void {
    // While an input method composes, every key is its own (checklist 68); 229 is what Safari-like hosts report.
    if (event.isComposing || event.keyCode === 229) return;
    if (this.#slash.onKey(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.submit(event.altKey ? "followUp" : "steer");
    } else if (event.altKey) {
      return;
    } else if (event.key === "ArrowUp" && (this.input.value === "" || this.#recalled > 0)) {
      this.#recall(1, event);
    } else if (event.key === "ArrowDown" && this.#recalled > 0) {
      this.#recall(-1, event);
    }
  }

  #recall(step: 1 | -1, event: KeyboardEvent): void {
    const said = (this.#chat?.items ?? []).filter((item) => item.kind === "user" && item.text !== "");
    const at = Math.min(this.#recalled + step, said.length);
    if (at === this.#recalled) return;
    event.preventDefault();
    const item = said[said.length - at];
    this.setText(item?.kind === "user" ? item.text : "");
    this.#recalled = at;
  }

  #complete(name: string): void {
    this.setText(`/${name} `);
    this.#slash.close();
  }

  #onPaste(event: ClipboardEvent): void {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void this.#addFiles(files);
  }

  #onDrop(transfer: DataTransfer): void {
    const uris = droppedUris(transfer);
    if (uris.length > 0) this.#context.post({ type: "files.dropped", uris });
    else if (transfer.files.length > 0) void this.#addFiles([...transfer.files]);
    else if (transfer.getData("text/plain") !== "") this.#context.suggest(transfer.getData("text/plain"));
    this.focus();
  }

  async #addFiles(files: readonly File[]): Promise<void> {
    const { images, refused } = await readImages(files);
    this.#setImages([...this.#images, ...images].slice(0, 20));
    this.#setError(refused);
  }

  #setImages(images: DraftImage[]): void {
    this.#images = images;
    this.#refresh();
    this.#changed();
  }

  #setError(text: string): void {
    setText(this.#error, text);
    show(this.#error, text !== "");
  }
}

/** Random enough for one page; `randomUUID` is missing where the editor is served without https. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16).padStart(8, "0")).join("");
}

function placeholder(chat: ChatState | null): string {
  const refusal = sendRefusal(chat);
  if (refusal !== "") return refusal;
  if (isRunning(chat)) return t("Add to the run");
  if (chat?.viewing) return t("Continue from this point");
  return t("Ask about your code, or say what to change");
}

/** Files may be dropped anywhere on the page; the box shows where they go. */
function listenForDrops(area: HTMLElement, box: HTMLElement, drop: (transfer: DataTransfer) => void): void {
  area.addEventListener("dragover", (event) => {
    event.preventDefault();
    box.classList.add("drop");
  });
  area.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) box.classList.remove("drop");
  });
  area.addEventListener("drop", (event) => {
    event.preventDefault();
    box.classList.remove("drop");
    if (event.dataTransfer) drop(event.dataTransfer);
  });
}
