// The chat page: puts the parts together, hands them each new state, keeps what must outlive the page.
import type { ToWebview } from "../protocol/to-webview.ts";
import type { ChatState } from "../protocol/view-state.ts";
import { Announcer } from "./announcer.ts";
import { Approvals } from "./approval-view.ts";
import { Banners } from "./banners.ts";
import { initialState, reduce } from "./chat-state.ts";
import { Composer } from "./composer.ts";
import { isRunning } from "./composer-draft.ts";
import { CUT_ID, CutLine } from "./cut-line.ts";
import { h } from "./dom.ts";
import { FailedAttempts, fateAtEnd } from "./failed-attempts.ts";
import { Header } from "./header-view.ts";
import { draftKey, HostDrafts } from "./kept-draft.ts";
import { listenForKeys } from "./keyboard.ts";
import type { LinkTarget } from "./link-target.ts";
import { Folds, type PageContext } from "./page-context.ts";
import { QueueView } from "./queue-view.ts";
import { type Draft, draftsToKeep, joinDrafts, readSavedPage } from "./saved-page.ts";
import { setupKey, setupView } from "./setup-view.ts";
import { setStrings, t } from "./strings.ts";
import { Transcript } from "./transcript.ts";
import { connect } from "./transport.ts";
import { ViewingBar } from "./viewing-bar.ts";

/** Milliseconds after which a snapshot that did not come is asked for again. */
const SNAPSHOT_PATIENCE_MS = 4000;
const SAVE_PAUSE_MS = 150;
/** Ids of returned words that are remembered, so that none come twice. */
const MAX_GIVEN = 100;

const transport = connect();
const saved = readSavedPage(transport.load());
const drafts = new Map<string, Draft>(saved.drafts);
const given = new Map<string, string>(saved.given);
/** Keys of drafts that came back without their pictures, and of what was given to them, what has its pictures again. */
const bare = new Set<string>(saved.bare);
const refilled = new Set<string>();
const hostDrafts = new HostDrafts(saved.revision, (message) => transport.post(message));
/** What the page itself brought back into the composer. */
let restored = "";
/** Of what was given, what has left the composer again. */
const done = new Set<string>();
let state = initialState;
let parts: ReturnType<typeof build> | undefined;
let firstSnapshot = true;
let saveTimer: ReturnType<typeof setTimeout> | undefined;
let askTimer: ReturnType<typeof setTimeout> | undefined;

transport.listen((message) => {
  const before = state.chat;
  const reduced = reduce(state, message);
  state = reduced.state;
  if (reduced.gap) askForSnapshot();
  if (message.type === "state.snapshot") {
    clearTimeout(askTimer);
    setStrings(message.strings);
    // Names come in the person's language, so the page is built once they are known.
    parts ??= build();
  }
  if (!parts || !state.chat) return;
  for (const [id, newId] of reduced.renames) {
    parts.context.folds.rename(id, newId);
    parts.transcript.rename(id, newId);
  }
  if (state.chat !== before) render(parts, before, state.chat);
  handle(parts, message);
});
// The editor gives the focus to the page; a person who comes to the chat comes to write.
window.addEventListener("focus", () => {
  if (document.activeElement === null || document.activeElement === document.body) parts?.composer.focus();
});
for (const type of ["focus", "blur"] as const) {
  window.addEventListener(type, () => transport.post({ type: "view.focus", focused: type === "focus" }));
}
window.addEventListener("pagehide", () => save());
askForSnapshot();

function askForSnapshot(): void {
  clearTimeout(askTimer);
  transport.post({ type: "view.ready" });
  askTimer = setTimeout(askForSnapshot, SNAPSHOT_PATIENCE_MS);
}

function build() {
  const context: PageContext = {
    post: (message) => transport.post(message),
    chat: () => state.chat,
    folds: new Folds(saved.folds, () => saveSoon()),
    markdown: {
      follow: (target: LinkTarget) => follow(target),
      copyCode: (text) => {
        transport.post({ type: "code.copy", text });
        announcer.say(t("Copied"));
      },
      insertCode: (text) => transport.post({ type: "code.insert", text }),
    },
    suggest: (text) => {
      const now = composer.draft.text;
      composer.setText(now.trim() === "" ? text : `${now.trimEnd()}\n${text}`);
      composer.focus();
    },
    focusComposer: () => composer.focus(),
  };
  const announcer = new Announcer();
  const viewing = new ViewingBar(context);
  const composer = new Composer(context, saveSoon, () => viewing.leaving);
  const transcript = new Transcript(context, saveSoon);
  const cutLine = new CutLine();
  const failures = new FailedAttempts();
  const header = new Header(context);
  const approvals = new Approvals(context, composer.input);
  const banners = new Banners(context);
  const queue = new QueueView((id) => transport.post({ type: "queue.remove", id }));
  const demo = h("div", { class: "demo-note", hidden: true }, t("Demo: answers come from a script, not from an AI."));
  const notes = [banners.element, viewing.element, approvals.element, queue.element];
  const dock = h(
    "div",
    { class: "dock" },
    h("div", { class: "measure dock-notes" }, ...notes),
    h("div", { class: "measure dock-composer" }, composer.element, demo),
  );
  document.body.replaceChildren(
    h("main", { class: "page" }, h("h1", { class: "sr-only" }, "Coppice"), header.element, transcript.element, dock),
    announcer.element,
  );
  listenForKeys({
    isRunning: () => isRunning(state.chat),
    stop: () => transport.post({ type: "run.stop" }),
    focusNeighbour: (step) => transcript.focusNeighbour(step),
    focusComposer: () => composer.focus(),
    scroller: transcript.scroller,
    composer: composer.input,
  });
  return {
    context,
    announcer,
    viewing,
    composer,
    transcript,
    cutLine,
    failures,
    header,
    approvals,
    banners,
    queue,
    demo,
    welcome: "",
  };
}

function render(on: NonNullable<typeof parts>, before: ChatState | null, chat: ChatState): void {
  const isOther = before !== null && before.session?.id !== chat.session?.id;
  // A session that is created by its first message is the same conversation.
  const fresh = before === null || (isOther && before.session !== null);
  changeDraft(on, before, chat);
  if (before?.session?.file !== chat.session?.file) saveSoon();
  on.header.update(chat);
  on.banners.update(chat);
  on.viewing.update(chat.viewing);
  on.queue.update(chat.queue);
  on.composer.update(chat);
  on.demo.hidden = chat.model?.isDemo !== true;
  renderWelcome(on, chat);
  on.transcript.setWorking(workingText(chat));
  if (
    !before ||
    before.items !== chat.items ||
    before.cut !== chat.cut ||
    fateAtEnd(before) !== fateAtEnd(chat) ||
    before.hasOlder !== chat.hasOlder ||
    before.hasNewer !== chat.hasNewer ||
    fresh
  ) {
    on.transcript.update(on.cutLine.into(on.failures.join(chat.items, fateAtEnd(chat)), chat.cut), {
      hasOlder: chat.hasOlder,
      hasNewer: chat.hasNewer,
      fresh,
    });
  }
  if (firstSnapshot) {
    firstSnapshot = false;
    if (saved.scroll && saved.sessionId === (chat.session?.id ?? null)) on.transcript.restore(saved.scroll);
  }
  on.approvals.update(chat.approvals);
  on.announcer.update(before, chat);
}

function renderWelcome(on: NonNullable<typeof parts>, chat: ChatState): void {
  const key = chat.items.length === 0 ? setupKey(chat) : "";
  if (key === on.welcome) return;
  on.welcome = key;
  on.transcript.setEmpty(key === "" ? null : setupView(chat, on.context));
}

function workingText(chat: ChatState): string {
  if (chat.phase === "idle" || chat.progress || chat.approvals.length > 0) return "";
  const last = chat.items.at(-1);
  // What moves by itself needs no second sign.
  if (last?.kind === "tool" && (last.status === "running" || last.status === "streaming")) return "";
  if (last?.kind === "assistant" && last.streaming && last.blocks.length > 0) return "";
  if (chat.phase === "branchSummary") return t("Summarising the branch…");
  return t("Working…");
}

/** Each session has its own draft; what was typed before its first message was saved goes with it. */
function changeDraft(on: NonNullable<typeof parts>, before: ChatState | null, chat: ChatState): void {
  const key = draftKey(chat);
  const from = before === null ? undefined : draftKey(before);
  if (from === key) return;
  const mine = drafts.get(key);
  const isSaved = before?.session?.id === chat.session?.id;
  if (from === "" && (isSaved || before?.session === null)) {
    drafts.delete("");
    hostDrafts.keep("", "", []);
    if (isSaved) hostDrafts.begin(key);
    for (const [id, owner] of given) if (owner === "") given.set(id, key);
    // After a reload the session may come after the page: its own draft is then still to be shown.
    restored = mine?.text ?? "";
    if (mine !== undefined) on.composer.draft = joinDrafts(mine, on.composer.draft);
    return;
  }
  if (from !== undefined) keepDraft(on, from);
  on.composer.draft = mine ?? { text: "", caret: [0, 0], images: [] };
  restored = on.composer.draft.text;
}

/** Puts what stands in the composer by, as the draft of this key, and tells the host. */
function keepDraft(on: NonNullable<typeof parts>, key: string): Draft {
  const { draft } = on.composer;
  drafts.delete(key);
  drafts.set(key, draft);
  const own = [...given].filter(([, owner]) => owner === key).map(([id]) => id);
  hostDrafts.keep(key, draft.text, own.slice(-MAX_GIVEN));
  return draft;
}

/** The words came back with the page, the pictures were too large to: the host has them still. */
function refill(on: NonNullable<typeof parts>, id: string, images: Parameters<Composer["add"]>[1]): void {
  if (!bare.has(given.get(id)!) || refilled.has(id) || images.length === 0) return;
  refilled.add(id);
  on.composer.addImages(images);
}

function handle(on: NonNullable<typeof parts>, message: ToWebview): void {
  switch (message.type) {
    case "composer.add":
      if (given.has(message.id)) refill(on, message.id, message.images);
      else {
        given.set(message.id, draftKey(state.chat));
        on.composer.add(message.text, message.images);
        if (message.focus) on.composer.focus();
      }
      done.delete(message.id);
      save();
      return;
    case "draft.kept": {
      if (message.sessionId !== draftKey(state.chat)) return;
      const draft = hostDrafts.hear(message, on.composer.draft, restored);
      if (draft === undefined) return;
      for (const id of message.given) given.set(id, message.sessionId);
      on.composer.draft = draft;
      saveSoon();
      return;
    }
    case "composer.focus":
      on.composer.focus();
      return;
    case "prompt.accepted":
      on.composer.accepted(message.submitId);
      on.transcript.jumpToEnd();
      return;
    case "prompt.refused":
      on.composer.refused(message.submitId, message.reason);
      return;
    case "item.reveal":
      on.transcript.reveal(state.chat?.cut?.before.includes(message.id) ? CUT_ID : on.failures.rowOf(message.id));
      return;
    case "state.snapshot":
    case "state.frame":
    case "page.items":
      return;
  }
}

function follow(target: LinkTarget): void {
  if (target.kind === "web") transport.post({ type: "link.open", url: target.url });
  else
    transport.post({
      type: "file.open",
      path: target.path,
      ...(target.line === undefined ? {} : { line: target.line }),
    });
}

function saveSoon(): void {
  saveTimer ??= setTimeout(save, SAVE_PAUSE_MS);
}

function save(): void {
  clearTimeout(saveTimer);
  saveTimer = undefined;
  if (!parts || !state.chat) return;
  const key = draftKey(state.chat);
  const { text, images } = keepDraft(parts, key);
  const kept = draftsToKeep(drafts);
  transport.save({
    sessionId: state.chat.session?.id ?? null,
    file: state.chat.session?.file,
    revision: hostDrafts.revision,
    ...kept,
    // A draft that came back without its pictures still waits for them.
    bare: [...new Set([...kept.bare, ...bare])],
    scroll: parts.transcript.anchor(),
    folds: parts.context.folds.entries(),
    given: [...given].slice(-MAX_GIVEN),
  });
  if (text.trim() !== "" || images.length > 0) return;
  bare.delete(key);
  for (const [id, owner] of given) {
    if (owner !== key || done.has(id)) continue;
    done.add(id);
    transport.post({ type: "composer.done", id });
  }
}
