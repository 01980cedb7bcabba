// Draws the inspector's two pictures: what fills the window, and how the context grew over the session.
import type { InspectorState } from "../protocol/inspector.ts";
import { h } from "./dom.ts";
import { formatTokens } from "./format-numbers.ts";
import { svg } from "./panel.ts";
import { t } from "./strings.ts";

export interface Share {
  /** A class of the style sheet. */
  name: string;
  title: string;
  tokens: number;
}

/** Tokens by what they are for, in the order in which they are sent; what is empty is left out. */
export function sharesOf(state: InspectorState): Share[] {
  const sum = (tokens: readonly { tokens: number }[]) => tokens.reduce((total, part) => total + part.tokens, 0);
  const items = (...kinds: string[]) =>
    state.items.reduce((total, item) => total + (kinds.includes(item.kind) ? item.size.tokens : 0), 0);
  return [
    { name: "system", title: t("System prompt"), tokens: sum(state.system) },
    { name: "tools", title: t("Tools"), tokens: sum(state.tools) },
    { name: "summary", title: t("Summaries"), tokens: items("compaction", "branchSummary") },
    { name: "user", title: t("You"), tokens: items("user", "shell", "note", "setting") },
    { name: "reply", title: t("Replies"), tokens: items("reply", "tools") },
    { name: "result", title: t("Tool results"), tokens: items("result") },
  ].filter((share) => share.tokens > 0);
}

const WIDTH = 1000;

/** The window as a bar, with a mark where compaction starts. */
export function windowBar(state: InspectorState): HTMLElement {
  const shares = sharesOf(state);
  const whole = Math.max(state.window, ...[shares.reduce((sum, share) => sum + share.tokens, 0)]);
  const scale = WIDTH / whole;
  const bar = svg("svg", {
    viewBox: `0 0 ${WIDTH} 20`,
    preserveAspectRatio: "none",
    class: "bar",
    "aria-hidden": "true",
  });
  bar.append(svg("rect", { x: 0, y: 0, width: WIDTH, height: 20, class: "free" }));
  let x = 0;
  for (const share of shares) {
    const width = Math.max(2, share.tokens * scale);
    bar.append(svg("rect", { x, y: 0, width, height: 20, class: `share ${share.name}` }));
    x += width;
  }
  if (state.threshold !== null) {
    const at = Math.min(WIDTH - 2, state.threshold * scale);
    bar.append(svg("rect", { x: at - 1, y: 0, width: 3, height: 20, class: "threshold" }));
  }
  const legend = h(
    "ul",
    { class: "legend" },
    ...shares.map((share) =>
      h(
        "li",
        {},
        h("span", { class: `swatch ${share.name}` }),
        `${share.title} `,
        h("b", {}, `~${formatTokens(share.tokens)}`),
      ),
    ),
    state.threshold === null
      ? h("li", {}, t("Automatic compaction is off"))
      : h("li", {}, h("span", { class: "swatch threshold" }), t("Compacts above {0}", formatTokens(state.threshold))),
  );
  return h("div", { class: "window" }, bar, legend);
}

const HEIGHT = 120;

/** The size of the context at each reply; a compaction is a fall. */
export function historyChart(state: InspectorState): HTMLElement | null {
  const { history } = state;
  if (history.length < 2) return null;
  const top = history.reduce((most, { tokens }) => Math.max(most, tokens), state.threshold ?? 0) * 1.1;
  const x = (index: number) => (index / (history.length - 1)) * WIDTH;
  const y = (tokens: number) => HEIGHT - (tokens / top) * HEIGHT;
  const line = stepsOf(history)
    .map(([index, tokens]) => `${x(index).toFixed(1)},${y(tokens).toFixed(1)}`)
    .join(" ");
  const chart = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    class: "chart",
    role: "img",
    "aria-label": t("Size of the context over the session"),
  });
  chart.append(
    svg("polygon", { points: `0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`, class: "area" }),
    svg("polyline", { points: line, class: "line" }),
  );
  if (state.threshold !== null) {
    const at = y(state.threshold);
    chart.append(svg("line", { x1: 0, x2: WIDTH, y1: at, y2: at, class: "threshold" }));
  }
  history.forEach((point, index) => {
    if (point.kind !== "compaction") return;
    chart.append(svg("line", { x1: x(index), x2: x(index), y1: 0, y2: HEIGHT, class: "compaction" }));
  });
  return h("figure", { class: "history" }, frame(chart, top), h("figcaption", {}, captionOf(history)));
}

/** Between which sizes the replies lie, and at which the compactions. */
export function captionOf(history: InspectorState["history"]): string {
  const sizes = history.filter(({ kind }) => kind === "reply").map(({ tokens }) => tokens);
  const compactions = history.filter(({ kind }) => kind === "compaction").map(({ tokens }) => formatTokens(tokens));
  const replies =
    sizes.length === 0
      ? []
      : [
          t(
            "{0} replies, between {1} and {2} tokens",
            sizes.length,
            formatTokens(sizes.reduce((least, size) => Math.min(least, size))),
            formatTokens(sizes.reduce((most, size) => Math.max(most, size))),
          ),
        ];
  const words =
    compactions.length === 0
      ? t("no compaction")
      : t(
          compactions.length === 1 ? "{0} compaction, at {1} tokens" : "{0} compactions, at {1} tokens",
          compactions.length,
          compactions.join(", "),
        );
  return [...replies, words].join(" · ");
}

/**
 * The line's corners, by place in the history and tokens. At a compaction it steps down to what the next reply counted; what
 * was replaced there was counted by another measure, so it is a mark and no point of the line.
 */
export function stepsOf(history: InspectorState["history"]): [number, number][] {
  const corners: [number, number][] = [];
  /** Where the value of the next reply begins to hold. */
  let from: number | undefined = 0;
  history.forEach((point, index) => {
    const before = corners.at(-1);
    if (point.kind === "compaction") {
      if (before !== undefined) {
        corners.push([index, before[1]]);
        from = index;
      }
      return;
    }
    if (from !== undefined && from < index) corners.push([from, point.tokens]);
    corners.push([index, point.tokens]);
    from = undefined;
  });
  return corners;
}

function frame(chart: SVGSVGElement, top: number): HTMLElement {
  return h("div", { class: "frame" }, h("span", { class: "axis" }, formatTokens(top)), chart as unknown as Node);
}
