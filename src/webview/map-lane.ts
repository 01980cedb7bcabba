// Draws one lane of the branch map: the size of its context, what stands out in it, and its words.
import type { BranchMapState, DescribedEntry, MapLaneView, MapMarkKind } from "../protocol/branch-map.ts";
import { setAttribute } from "./dom.ts";
import { formatTokens } from "./format-numbers.ts";
import { edgeOf, heightOf, type MapScale, tokensBefore, xOf } from "./map-scale.ts";
import { svg } from "./panel.ts";
import { t } from "./strings.ts";

/** Between the left sides of two marks, px. */
const MARK_GAP = 9;
const MARK_TOP = 2;
/** About how wide a letter is, px. */
const LETTER = 6.6;

export interface LaneSurroundings {
  state: BranchMapState;
  scale: MapScale;
  /** Width of the whole drawing, px. */
  width: number;
  words: ReadonlyMap<string, DescribedEntry>;
  /** Turn of this lane that the keys are at, where they are at this lane. */
  cursor: number | undefined;
}

/** The outline of a mark, its upper left corner at (x, y), 8 px wide. */
export function markShape(kind: MapMarkKind, x: number, y: number): SVGElement {
  switch (kind) {
    case "compaction":
      return svg("path", { d: `M${x} ${y}h8l-4 7z`, class: "mark" });
    case "summary":
      return svg("rect", { x: x + 0.5, y: y + 0.5, width: 6, height: 6, class: "mark" });
    case "label":
      return svg("path", { d: `M${x + 1} ${y - 1}v10M${x + 1} ${y}h6l-2 2.5l2 2.5h-6`, class: "mark flag" });
  }
}

/** Two rings: the position. An eye: what the chat shows. */
export function placeShape(kind: "position" | "shown", x: number, y: number): SVGElement {
  if (kind === "position") {
    return svg(
      "g",
      { class: "place position" },
      svg("circle", { cx: x, cy: y, r: 5.5, class: "ring" }),
      svg("circle", { cx: x, cy: y, r: 2, class: "dot" }),
    );
  }
  return svg(
    "g",
    { class: "place shown" },
    svg("path", { d: `M${x - 7} ${y}q7 -8 14 0q-7 8 -14 0z`, class: "ring" }),
    svg("circle", { cx: x, cy: y, r: 2, class: "dot" }),
  );
}

/** What a person who does not see the lane is told of it. */
export function laneWords(index: number, { state, words }: Pick<LaneSurroundings, "state" | "words">): string {
  const lane = state.lanes[index]!;
  const turns = lane.tokens.length;
  const last = lane.tokens.findLast((tokens) => tokens !== null && tokens > 0);
  const count = (kind: MapMarkKind) => lane.marks.filter((mark) => mark.kind === kind).length;
  const compactions = count("compaction");
  const labels = lane.marks.flatMap((mark) => (mark.label === undefined ? [] : [`“${mark.label}”`]));
  return [
    `${t("Branch {0} of {1}", index + 1, state.lanes.length)}: ${words.get(lane.firstIds[0]!)?.title ?? ""}`,
    state.position?.lane === index ? t("position") : "",
    state.shown?.lane === index ? t("shown in the chat") : "",
    turns === 1 ? t("turn {0}", lane.column) : t("turns {0} to {1}", lane.column, lane.column + turns - 1),
    last ? t("{0} tokens at its end", formatTokens(last)) : "",
    compactions === 0 ? "" : t(compactions === 1 ? "{0} compaction" : "{0} compactions", compactions),
    labels.join(", "),
  ]
    .filter((part) => part !== "")
    .join(", ");
}

/** Draws a lane into its group, which keeps the focus. */
export function drawLane(group: SVGGElement, index: number, around: LaneSurroundings): void {
  const { state, scale, width, cursor } = around;
  const lane = state.lanes[index]!;
  const start = xOf(lane.column - 1, scale);
  const end = xOf(lane.column + lane.tokens.length - 1, scale);
  const edge = edgeOf(lane, tokensBefore(state.lanes, lane), scale);
  const shown = state.shown?.lane === index;
  setAttribute(group, "transform", `translate(0 ${index * scale.lane})`);
  setAttribute(group, "class", `lane${lane.active ? " active" : ""}${shown ? " looked-at" : ""}`);
  setAttribute(group, "aria-label", laneWords(index, around));
  setAttribute(group, "aria-setsize", state.lanes.length);
  setAttribute(group, "aria-posinset", index + 1);
  setAttribute(
    group,
    "aria-selected",
    shown || (state.shown === null && state.position?.lane === index) ? "true" : "false",
  );
  group.replaceChildren(
    svg("rect", { x: 2, y: 1, width: Math.max(0, width - 4), height: scale.lane - 2, rx: 3, class: "hit" }),
    svg("path", { d: `${edge}L${end.toFixed(1)} ${scale.base}L${start.toFixed(1)} ${scale.base}z`, class: "area" }),
    svg("path", { d: edge, class: "edge" }),
    svg("path", { d: `M${start.toFixed(1)} ${scale.base}H${end.toFixed(1)}`, class: "base" }),
    ...marks(lane, scale),
    ...places(index, around),
    ...(cursor === undefined ? [] : [cursorAt(lane, cursor, scale)]),
  );
}

/** What stands out, side by side where there is room; where there is not, a compaction before a label. */
function marks(lane: MapLaneView, scale: MapScale): SVGElement[] {
  const placed: { kind: MapMarkKind; x: number }[] = [];
  for (const { kind, turn } of lane.marks) {
    const wanted = xOf(lane.column + turn, scale) - 4;
    const last = placed.at(-1);
    const x = Math.max(wanted, (last?.x ?? Number.NEGATIVE_INFINITY) + MARK_GAP);
    if (x - wanted <= Math.min(MARK_GAP, scale.step / 2)) placed.push({ kind, x });
    else if (last !== undefined && last.kind === "label" && kind === "compaction") last.kind = kind;
  }
  return placed.map(({ kind, x }) => markShape(kind, x, MARK_TOP));
}

function places(index: number, { state, scale }: LaneSurroundings): SVGElement[] {
  const lane = state.lanes[index]!;
  const at = (turn: number) => xOf(lane.column + turn, scale);
  const { position, shown } = state;
  return [
    ...(position?.lane === index ? [placeShape("position", at(position.turn), scale.base)] : []),
    ...(shown?.lane === index ? [placeShape("shown", at(shown.turn), scale.base)] : []),
  ];
}

function cursorAt(lane: MapLaneView, turn: number, scale: MapScale): SVGElement {
  const x = xOf(lane.column + turn, scale);
  const y = scale.base - heightOf(lane.tokens[turn] ?? 0, scale);
  return svg(
    "g",
    { class: "cursor" },
    svg("path", { d: `M${x} 5V${scale.base}` }),
    svg("rect", { x: x - 3, y: y - 3, width: 6, height: 6 }),
  );
}

/** The words behind a lane's end; outside its group, whose name says more than they do. */
export function laneEnd(index: number, { state, scale, width, words }: LaneSurroundings): SVGElement {
  const lane = state.lanes[index]!;
  const isMarked = state.position?.lane === index || state.shown?.lane === index;
  const x = xOf(lane.column + lane.tokens.length - 1, scale) + (isMarked ? 16 : 8);
  const size = lane.tokens.findLast((tokens) => tokens !== null && tokens > 0);
  const title = words.get(lane.firstIds[0]!)?.title ?? "";
  const text = [size ? formatTokens(size) : "", title].filter((part) => part !== "").join(" · ");
  const room = Math.max(0, Math.floor((width - x - 8) / LETTER));
  const shown = text.length <= room ? text : room < 4 ? "" : `${text.slice(0, room - 1).toWellFormed()}…`;
  const element = svg("text", { x: x.toFixed(1), y: index * scale.lane + scale.base - 3, class: "words" });
  element.textContent = shown;
  return element;
}
