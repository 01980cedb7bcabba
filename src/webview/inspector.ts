// The page of the context inspector: what fills the window, message by message, and what can be done about it.
import type {
  FromInspector,
  InspectorItem,
  InspectorPart,
  InspectorState,
  ToInspector,
} from "../protocol/inspector.ts";
import { historyChart, windowBar } from "./context-chart.ts";
import { fill, h } from "./dom.ts";
import { formatCost, formatTokens, formatWhole } from "./format-numbers.ts";
import { formatTime } from "./format-times.ts";
import { connectPanel } from "./panel.ts";
import { setStrings, t } from "./strings.ts";

const post = connectPanel<ToInspector, FromInspector>((message) => {
  if (message.type !== "state") return;
  setStrings(message.strings);
  current = message.state;
  render(message.state);
});

let current: InspectorState | undefined;
let tab: "next" | "last" = "next";
/** Keys of what is unfolded, so that a refresh keeps it. */
const unfolded = new Set<string>();

const root = h("main", {});
document.body.append(root);
post({ type: "view.ready" });

function render(state: InspectorState): void {
  const focused = (document.activeElement as HTMLElement | null)?.dataset.key;
  const scroll = document.documentElement.scrollTop;
  fill(
    root,
    head(state),
    windowBar(state),
    historyChart(state),
    tabs(),
    tab === "next" ? nextRequest(state) : lastRequest(state),
  );
  document.documentElement.scrollTop = scroll;
  if (focused !== undefined) root.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus();
}

function head(state: InspectorState): HTMLElement {
  const share = Math.round((state.used.tokens / state.window) * 100);
  const size = t(
    "{0} of {1} tokens, {2} %",
    `${state.used.reported ? "" : "~"}${formatWhole(state.used.tokens)}`,
    formatWhole(state.window),
    share,
  );
  return h(
    "header",
    {},
    h("h1", {}, t("Context")),
    h("p", { class: "session" }, [state.title, state.model ?? t("no model chosen")].join(" · ")),
    h(
      "p",
      { class: "size" },
      h("strong", {}, size),
      ` ${state.used.reported ? t("(as the provider reported, and an estimate of what came after)") : t("(estimated)")}`,
    ),
    h(
      "p",
      { class: "muted" },
      t(
        "A compaction keeps the last {0} tokens and leaves {1} free for the reply.",
        formatTokens(state.keepRecentTokens),
        formatTokens(state.reserveTokens),
      ),
      state.busy ? ` ${t("The session is busy: nothing can be changed now.")}` : "",
    ),
  );
}

function button(
  key: string,
  text: string,
  act: () => void,
  more: { name?: string; disabled?: boolean; class?: string } = {},
) {
  return h(
    "button",
    {
      type: "button",
      "data-key": key,
      "aria-label": more.name,
      disabled: more.disabled ?? false,
      class: more.class ?? "quiet",
      click: act,
    },
    text,
  );
}

function tabs(): HTMLElement {
  const one = (name: typeof tab, title: string) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${name}`,
        "data-key": `tab-${name}`,
        "aria-selected": tab === name ? "true" : "false",
        "aria-controls": "panel",
        click: () => {
          tab = name;
          if (current !== undefined) render(current);
        },
      },
      title,
    );
  return h(
    "div",
    { class: "tabs" },
    h(
      "div",
      { role: "tablist", "aria-label": t("Request"), keydown: arrowTabs },
      one("next", t("Next request")),
      one("last", t("Last request")),
    ),
  );
}

function arrowTabs(event: KeyboardEvent): void {
  if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
  const other = tab === "next" ? "last" : "next";
  root.querySelector<HTMLElement>(`#tab-${other}`)?.click();
  root.querySelector<HTMLElement>(`#tab-${other}`)?.focus();
}

function panel(...children: (Node | null)[]): HTMLElement {
  return h("section", { id: "panel", role: "tabpanel", "aria-labelledby": `tab-${tab}` }, ...children);
}

function nextRequest(state: InspectorState): HTMLElement {
  const at = (id: string | null) => (id === null ? -1 : state.items.findIndex((item) => item.entryId === id));
  const cut = at(state.cutBefore);
  const cached = at(state.cachedThrough);
  const rows: Node[] = [];
  state.items.forEach((item, index) => {
    if (index === cut) rows.push(mark("cut", t("A compaction would cut here: what is above becomes a summary")));
    rows.push(row(item, state));
    if (index === cached) {
      rows.push(
        mark(
          "cache",
          t("In the provider's cache up to here: {0} tokens at the last request", formatTokens(state.cachedTokens)),
        ),
      );
    }
  });
  return panel(
    h(
      "p",
      { class: "actions" },
      button("raw-next", t("Open as JSON"), () => post({ type: "request.open", which: "next" })),
      button("preview", t("Preview compaction"), () => post({ type: "compaction.preview" })),
    ),
    h(
      "p",
      { class: "muted" },
      t("As it stands, before your next message and before hooks. Sizes with ~ are estimates."),
    ),
    h("h2", {}, t("System prompt and tools")),
    ...state.system.map((part, index) => partRow(`system-${index}`, part)),
    ...state.tools.map((part) => partRow(`tool-${part.title}`, part)),
    h("h2", {}, t("Messages ({0})", state.items.filter((item) => item.unsent !== true).length)),
    state.items.length === 0
      ? h("p", { class: "muted" }, t("Nothing has been said yet."))
      : h("ol", { class: "rows" }, ...rows),
    state.dropped.length === 0 ? null : h("h2", {}, t("Left out by hand ({0})", state.dropped.length)),
    state.dropped.length === 0
      ? null
      : h("ol", { class: "rows" }, ...state.dropped.map((entry) => droppedRow(entry, state))),
  );
}

function mark(name: string, text: string): HTMLElement {
  return h("li", { class: `mark ${name}` }, h("span", {}, text));
}

function fold(key: string, summary: Node[], body: Node): HTMLElement {
  const details = h("details", { open: unfolded.has(key) }, h("summary", { "data-key": key }, ...summary), body);
  details.addEventListener("toggle", () => {
    if (details.open) unfolded.add(key);
    else unfolded.delete(key);
  });
  return details;
}

function partRow(key: string, part: InspectorPart): HTMLElement {
  return h(
    "div",
    { class: "row" },
    fold(
      key,
      [h("span", { class: "title" }, t(part.title)), h("span", { class: "tokens" }, `~${formatTokens(part.tokens)}`)],
      h("pre", { dir: "auto" }, part.text),
    ),
  );
}

function row(item: InspectorItem, state: InspectorState): HTMLElement {
  const { entryId } = item;
  const name = `${item.kindName}: ${item.title}`;
  return h(
    "li",
    { class: `row ${item.kind}${item.unsent === true ? " unsent" : ""}` },
    fold(
      `row-${entryId}`,
      [
        h("span", { class: "kind" }, item.kindName),
        h("span", { class: "title", dir: "auto" }, item.title || "–"),
        h("span", { class: "badge" }, item.pinned ? t("pinned") : ""),
        h(
          "span",
          { class: "tokens" },
          item.unsent === true ? t("not sent") : `${item.size.reported ? "" : "~"}${formatTokens(item.size.tokens)}`,
        ),
        h("span", { class: "cost" }, item.costUsd === undefined ? "" : formatCost(item.costUsd)),
      ],
      h("pre", { dir: "auto" }, item.text),
    ),
    h(
      "div",
      { class: "actions" },
      button(`show-${entryId}`, t("Show"), () => post({ type: "entry.show", entryId }), { name: t("Show {0}", name) }),
      item.droppable
        ? button(`drop-${entryId}`, t("Leave out"), () => post({ type: "entry.drop", entryId }), {
            name: t("Leave out {0}", name),
            disabled: state.busy,
          })
        : null,
      button(
        `pin-${entryId}`,
        item.pinned ? t("Unpin") : t("Pin"),
        () => post({ type: "entry.pin", entryId, pinned: !item.pinned }),
        { name: item.pinned ? t("Unpin {0}", name) : t("Pin {0}", name), disabled: state.busy },
      ),
    ),
  );
}

function droppedRow(entry: InspectorState["dropped"][number], state: InspectorState): HTMLElement {
  const name = `${entry.kindName}: ${entry.title}`;
  return h(
    "li",
    { class: "row dropped" },
    h("span", { class: "kind" }, entry.kindName),
    h("span", { class: "title", dir: "auto" }, entry.title || "–"),
    h(
      "div",
      { class: "actions" },
      button(`back-${entry.entryId}`, t("Take back"), () => post({ type: "entry.takeBack", entryId: entry.entryId }), {
        name: t("Take back {0}", name),
        disabled: state.busy,
      }),
    ),
  );
}

function lastRequest(state: InspectorState): HTMLElement {
  const { last } = state;
  if (last === null) {
    return panel(h("p", { class: "muted" }, t("Nothing has been sent since this window was opened.")));
  }
  return panel(
    h(
      "p",
      { class: "actions" },
      button("raw-last", t("Open as JSON"), () => post({ type: "request.open", which: "last" })),
      button("raw-sent", t("Open as sent"), () => post({ type: "request.open", which: "sent" })),
    ),
    h(
      "p",
      { class: "muted" },
      t(
        "Exactly as it was sent to {0} at {1}: {2} messages, {3} bytes.",
        last.model,
        formatTime(new Date(last.sentAt)),
        last.messages,
        formatWhole(last.bytes),
      ),
    ),
    ...last.parts.map((part, index) => partRow(`last-${index}`, part)),
  );
}
