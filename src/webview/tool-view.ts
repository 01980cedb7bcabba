// Shows one tool call as a line that opens: what was asked, what came of it.
import type { ToolStatus } from "../protocol/view-state.ts";
import { cleanText } from "./clean-text.ts";
import { diffCounts, diffView } from "./diff-view.ts";
import { fill, h, setAttribute, setText, show } from "./dom.ts";
import { Fold } from "./fold.ts";
import { formatDuration } from "./format-numbers.ts";
import { type IconName, icon } from "./icons.ts";
import type { ItemOf, ItemView } from "./item-view.ts";
import type { PageContext } from "./page-context.ts";
import { t } from "./strings.ts";

type Tool = ItemOf<"tool">;

const TOOL_ICONS: Readonly<Record<string, IconName>> = {
  bash: "terminal",
  read: "file",
  write: "edit",
  edit: "edit",
  grep: "search",
  find: "search",
  ls: "search",
  recall: "clock",
};

/** Characters of the output shown while it runs, and when it is opened. */
const TAIL = 1200;
const SHOWN = 20_000;

export function toolView(context: PageContext): ItemView<Tool> {
  let item: Tool | undefined;
  const symbol = h("span", { class: "tool-symbol" });
  const name = h("span", { class: "tool-name" });
  const title = h("span", { class: "tool-title", dir: "ltr" });
  const counts = h("span", { class: "tool-counts" });
  const status = h("span", { class: "tool-status" });
  const fold = new Fold(context.folds, "tool", () => item && body(item));
  fold.button.append(symbol, name, title, counts, status);
  const live = h("pre", { class: "tool-live", dir: "ltr", "aria-hidden": "true" });
  const element = h("article", { class: "row tool", tabindex: -1 }, fold.button, live, fold.body);
  let bodyShown = "";
  let headShown = "";
  const body = (tool: Tool) => {
    const key = JSON.stringify([
      fold.isOpen,
      tool.args,
      tool.output,
      tool.outputTruncated,
      tool.status,
      tool.diff?.lines.length,
    ]);
    if (!fold.isOpen || key === bodyShown) return;
    bodyShown = key;
    fill(fold.body, ...toolBody(tool, context));
  };
  return {
    element,
    update(tool) {
      item = tool;
      setAttribute(element, "aria-label", tool.name);
      setText(name, tool.name);
      setText(title, cleanText(tool.title).replaceAll("\n", " "));
      setAttribute(fold.button, "title", cleanText(tool.title).slice(0, 500));
      const head = JSON.stringify([tool.name, tool.status, tool.durationMs, tool.diff?.added, tool.diff?.removed]);
      if (head !== headShown) {
        headShown = head;
        fill(symbol, icon(TOOL_ICONS[tool.name] ?? "tool"));
        fill(counts, tool.diff && diffCounts(tool.diff));
        fill(status, ...statusMarks(tool));
        element.dataset.status = tool.status;
      }
      fold.update(tool.id, false);
      const running = tool.status === "running" && tool.output !== "" && !fold.isOpen;
      show(live, running);
      if (running) setText(live, lastLines(tool.output));
      body(tool);
    },
  };
}

function lastLines(output: string): string {
  const lines = cleanText(output.slice(-TAIL)).split("\n");
  return lines
    .filter((line) => line.trim() !== "")
    .slice(-4)
    .join("\n");
}

function statusMarks(tool: Tool): (Node | string)[] {
  const word = statusWord(tool.status);
  const quiet = tool.status === "done";
  const mark = h("span", { class: `status-word${quiet ? " sr-only" : ""}` }, word);
  const time =
    tool.durationMs !== undefined && tool.durationMs >= 1000
      ? h("span", { class: "note" }, formatDuration(tool.durationMs))
      : "";
  return [
    time,
    mark,
    icon(statusIcon(tool.status), tool.status === "running" || tool.status === "streaming" ? "spin" : ""),
  ];
}

function statusWord(status: ToolStatus): string {
  switch (status) {
    case "streaming":
      return t("Preparing");
    case "waiting":
      return t("Waiting for approval");
    case "running":
      return t("Running");
    case "done":
      return t("Done");
    case "error":
      return t("Failed");
    case "denied":
      return t("Denied");
    case "aborted":
      return t("Stopped");
  }
}

function statusIcon(status: ToolStatus): IconName {
  const icons: Record<ToolStatus, IconName> = {
    streaming: "spinner",
    waiting: "shield",
    running: "spinner",
    done: "check",
    error: "error",
    denied: "circleSlash",
    aborted: "circleSlash",
  };
  return icons[status];
}

function toolBody(tool: Tool, context: PageContext): Node[] {
  const parts: Node[] = [];
  if (tool.diff) {
    parts.push(diffView(tool.diff, () => context.post({ type: "diff.open", callId: tool.callId })));
  } else if (tool.args !== "" && tool.args !== "{}") {
    parts.push(section(t("Input"), tool.args));
  }
  if (tool.output !== "") parts.push(section(t("Output"), tool.output.slice(0, SHOWN)));
  if (tool.outputTruncated || tool.output.length > SHOWN) {
    const open = () => context.post({ type: "output.open", callId: tool.callId });
    parts.push(h("button", { type: "button", class: "link-button", click: open }, t("Open the whole output")));
  }
  if (parts.length === 0) parts.push(h("p", { class: "note" }, t("Nothing to show yet.")));
  return parts;
}

function section(label: string, text: string): HTMLElement {
  return h(
    "div",
    { class: "tool-section" },
    h("div", { class: "tool-label" }, label),
    h("pre", { tabindex: 0, dir: "ltr", role: "group", "aria-label": label }, cleanText(text)),
  );
}
