// The page of the branch map: the whole session as one picture, by pointer and by keys.
import type { BranchMapState, DescribedEntry, FromBranchMap, MapPlace, ToBranchMap } from "../protocol/branch-map.ts";
import { fill, h, setAttribute, setText } from "./dom.ts";
import { formatTokens } from "./format-numbers.ts";
import { drawLane, laneEnd, markShape, placeShape } from "./map-lane.ts";
import { LEFT, largestZoom, type MapScale, scaleOf, ticksOf, turnAt, xOf } from "./map-scale.ts";
import { connectPanel, svg } from "./panel.ts";
import { setStrings, t } from "./strings.ts";

/** Lanes that are drawn above and below what is seen. */
const AROUND = 6;
/** Room for the words behind a lane, px, and the share of the page that they take at most. */
const WORDS = 260;
const WORDS_SHARE = 0.35;
const AXIS = 22;

const post = connectPanel<ToBranchMap, FromBranchMap>(receive);

let state: BranchMapState = { title: "", lanes: [], position: null, shown: null };
let zoom = 1;
let cursor: MapPlace = { lane: 0, turn: 0 };
let hover: MapPlace | undefined;
let scale: MapScale = scaleOf([], 1, 1, 1);
let width = 0;
const words = new Map<string, DescribedEntry>();
const asked = new Set<string>();
const groups = new Map<number, SVGGElement>();

const heading = h("header", {});
const axis = svg("svg", { class: "axis", height: AXIS, "aria-hidden": "true" });
const joints = svg("path", { class: "joint" });
const lanes = svg("g");
const ends = svg("g", { "aria-hidden": "true" });
const drawing = svg("svg", { class: "lanes", role: "listbox" }, joints, lanes, ends);
const frame = h("div", { class: "frame" }, axis as unknown as Node, drawing as unknown as Node);
const details = h("p", { class: "details", role: "status" });
const root = h("main", { class: "map" }, heading, frame, details);
document.body.append(root);

function receive(message: ToBranchMap): void {
  switch (message.type) {
    case "state": {
      setStrings(message.strings);
      const kept = state.lanes[cursor.lane]?.id;
      const isFirst = state.lanes.length === 0;
      state = message.state;
      const found = state.lanes.findIndex((lane) => lane.id === kept);
      if (found >= 0) cursor = { ...cursor, lane: found };
      else cursor = state.shown ?? state.position ?? { lane: 0, turn: 0 };
      head();
      const focused = drawing.contains(document.activeElement);
      for (const group of groups.values()) group.remove();
      groups.clear();
      draw();
      if (isFirst) bringIntoView();
      if (focused) groups.get(cursor.lane)?.focus({ preventScroll: true });
      return;
    }
    case "lanes": {
      for (const [index, lane] of message.lanes) state.lanes[index] = lane;
      state.position = message.position;
      state.shown = message.shown;
      facts();
      draw();
      return;
    }
    case "described":
      for (const entry of message.entries) words.set(entry.id, entry);
      draw();
  }
}

// ---- what stands above the picture

const numbers = h("p", { class: "size" });

function head(): void {
  const button = (text: string, label: string, click: () => void) =>
    h("button", { type: "button", class: "quiet", "aria-label": label, title: label, click }, text);
  const sign = (shape: SVGElement, text: string) =>
    h("li", {}, svg("svg", { width: 16, height: 12, "aria-hidden": "true" }, shape) as unknown as Node, text);
  fill(
    heading,
    h("h1", {}, t("Branch map")),
    h("p", { class: "session" }, state.title),
    numbers,
    state.lanes.length === 0
      ? h("p", { class: "empty" }, t("Nothing has been said in this session yet. Each branch becomes a line here."))
      : h(
          "div",
          { class: "bar-of-tools" },
          h(
            "ul",
            { class: "legend" },
            sign(placeShape("position", 8, 6), t("position")),
            sign(placeShape("shown", 8, 6), t("shown in the chat")),
            sign(markShape("compaction", 4, 2), t("compaction")),
            sign(markShape("summary", 4, 2), t("summary of a branch")),
            sign(markShape("label", 4, 2), t("label")),
          ),
          h(
            "span",
            { class: "zoom", role: "group", "aria-label": t("Size") },
            button("−", t("Zoom out"), () => zoomTo(zoom / 1.6)),
            button("+", t("Zoom in"), () => zoomTo(zoom * 1.6)),
            button(t("Fit"), t("Fit the whole session"), () => zoomTo(1)),
            button(t("Position"), t("Go to the position"), () => goTo(state.position ?? cursor)),
          ),
        ),
  );
  frame.hidden = state.lanes.length === 0;
  details.hidden = state.lanes.length === 0;
  setAttribute(drawing, "aria-label", t("Branches of the session"));
  facts();
}

function facts(): void {
  const turns = state.lanes.reduce((sum, lane) => sum + lane.tokens.length, 0);
  const { top, columns } = scaleOf(state.lanes, 1, 1, 1);
  const count = state.lanes.length;
  setText(
    numbers,
    count === 0
      ? ""
      : [
          t(count === 1 ? "{0} branch" : "{0} branches", count),
          t(turns === 1 ? "{0} turn" : "{0} turns", turns),
          count === 1 ? "" : t("longest branch: {0} turns", columns),
          top === 0 ? "" : t("height: tokens of the context, up to {0}", formatTokens(top)),
        ]
          .filter((part) => part !== "")
          .join(" · "),
  );
}

// ---- the picture

function draw(): void {
  if (state.lanes.length === 0) return;
  clampCursor();
  const room = frame.clientWidth;
  const beside = Math.min(WORDS, room * WORDS_SHARE);
  scale = scaleOf(state.lanes, room - beside - LEFT, frame.clientHeight - AXIS, zoom);
  width = Math.max(room, Math.ceil(xOf(scale.columns, scale) + beside));
  for (const part of [axis, drawing]) setAttribute(part, "width", width);
  setAttribute(drawing, "height", state.lanes.length * scale.lane);
  drawAxis();
  drawJoints();
  const first = Math.max(0, Math.floor(frame.scrollTop / scale.lane) - AROUND);
  const last = Math.min(
    state.lanes.length - 1,
    Math.ceil((frame.scrollTop + frame.clientHeight) / scale.lane) + AROUND,
  );
  const wanted = new Set<number>([cursor.lane]);
  for (let index = first; index <= last; index++) wanted.add(index);
  for (const [index, group] of groups) {
    if (wanted.has(index)) continue;
    group.remove();
    groups.delete(index);
  }
  const around = { state, scale, width, words, cursor: undefined };
  for (const index of wanted) {
    let group = groups.get(index);
    if (group === undefined) {
      group = svg("g", { role: "option" });
      groups.set(index, group);
      lanes.append(group);
    }
    setAttribute(group, "tabindex", index === cursor.lane ? 0 : -1);
    drawLane(group, index, { ...around, cursor: index === cursor.lane ? cursor.turn : undefined });
  }
  ends.replaceChildren(...[...wanted].map((index) => laneEnd(index, around)));
  ask([...wanted].map((index) => state.lanes[index]!.firstIds[0]!));
  describe();
}

function drawAxis(): void {
  axis.replaceChildren(
    ...ticksOf(scale).flatMap((column) => {
      const text = svg("text", { x: xOf(column, scale).toFixed(1), y: 14, "text-anchor": "middle" });
      text.textContent = column === 1 ? t("turn {0}", column) : String(column);
      if (column === 1) setAttribute(text, "text-anchor", "start");
      if (column === 1) setAttribute(text, "x", 4);
      return column === 1 ? [text] : [text, svg("path", { d: `M${xOf(column, scale).toFixed(1)} 17v5` })];
    }),
  );
}

/** All joints that cross what is seen, as one path. */
function drawJoints(): void {
  const top = frame.scrollTop - AROUND * scale.lane;
  const bottom = frame.scrollTop + frame.clientHeight + AROUND * scale.lane;
  let path = "";
  state.lanes.forEach((lane, index) => {
    const from = lane.parent * scale.lane + scale.base;
    const to = index * scale.lane + scale.base;
    if (lane.parent < 0 || to < top || from > bottom) return;
    const x = xOf(lane.column - 1, scale);
    const bend = Math.min(5, scale.step);
    path += `M${x.toFixed(1)} ${from}V${to - bend}q0 ${bend} ${bend.toFixed(1)} ${bend}`;
  });
  setAttribute(joints, "d", path);
}

/** Asks for the words of what came into sight. */
function ask(ids: readonly string[]): void {
  const fresh = ids.filter((id) => !asked.has(id));
  for (const id of fresh) asked.add(id);
  for (let from = 0; from < fresh.length; from += 100) {
    post({ type: "entries.describe", entryIds: fresh.slice(from, from + 100) });
  }
}

/** Tells of the turn below the pointer, or else of the one that the keys are at. */
function describe(): void {
  const { lane: index, turn } = hover ?? cursor;
  const lane = state.lanes[index];
  const id = lane?.firstIds[turn];
  if (lane === undefined || id === undefined) return;
  ask([id]);
  const known = words.get(id);
  const tokens = lane.tokens[turn];
  const marks = lane.marks.filter((mark) => mark.turn === turn);
  const names = { compaction: t("compaction"), summary: t("summary of a branch"), label: t("label") };
  const text = [
    `${t("Branch {0}", index + 1)} · ${t("turn {0}", lane.column + turn)}`,
    tokens ? t("{0} tokens", formatTokens(tokens)) : "",
    ...marks.map((mark) => (mark.label === undefined ? names[mark.kind] : `“${mark.label}”`)),
    known?.time ?? "",
    known === undefined ? "" : `${known.kindName}: ${known.title}`,
  ];
  setText(details, text.filter((part) => part !== "").join(" · "));
}

function clampCursor(): void {
  const lane = Math.max(0, Math.min(cursor.lane, state.lanes.length - 1));
  cursor = { lane, turn: Math.max(0, Math.min(cursor.turn, state.lanes[lane]!.tokens.length - 1)) };
}

function bringIntoView(): void {
  const lane = state.lanes[cursor.lane];
  if (lane === undefined) return;
  const y = cursor.lane * scale.lane;
  const below = frame.clientHeight - AXIS;
  if (y < frame.scrollTop) frame.scrollTop = y;
  else if (y + scale.lane > frame.scrollTop + below) frame.scrollTop = y + scale.lane - below;
  const x = xOf(lane.column + cursor.turn, scale);
  if (x < frame.scrollLeft + 20) frame.scrollLeft = Math.max(0, x - frame.clientWidth / 2);
  else if (x > frame.scrollLeft + frame.clientWidth - 20) frame.scrollLeft = x - frame.clientWidth / 2;
}

function goTo(place: MapPlace): void {
  cursor = place;
  hover = undefined;
  clampCursor();
  bringIntoView();
  draw();
  groups.get(cursor.lane)?.focus({ preventScroll: true });
}

function zoomTo(wanted: number): void {
  zoom = Math.max(1, Math.min(wanted, largestZoom(scale.columns, frame.clientWidth)));
  draw();
  bringIntoView();
}

function show(): void {
  const id = state.lanes[cursor.lane]?.lastIds[cursor.turn];
  if (id !== undefined) post({ type: "entry.show", entryId: id });
}

// ---- pointer and keys

/** The place that a lane's nearest turn to a column has. */
function near(lane: number, column: number): MapPlace {
  const index = Math.max(0, Math.min(lane, state.lanes.length - 1));
  const { column: first, tokens } = state.lanes[index]!;
  return { lane: index, turn: Math.max(0, Math.min(column - first, tokens.length - 1)) };
}

function keyTarget(key: string): MapPlace | undefined {
  const lane = state.lanes[cursor.lane]!;
  const column = lane.column + cursor.turn;
  const page = Math.max(1, Math.floor(frame.clientHeight / scale.lane) - 1);
  switch (key) {
    case "ArrowUp":
      return near(cursor.lane - 1, column);
    case "ArrowDown":
      return near(cursor.lane + 1, column);
    case "PageUp":
      return near(cursor.lane - page, column);
    case "PageDown":
      return near(cursor.lane + page, column);
    case "ArrowLeft":
      // Before its first turn a branch goes on in the one that it parts from.
      return cursor.turn === 0 && lane.parent >= 0
        ? near(lane.parent, lane.parentColumn)
        : near(cursor.lane, column - 1);
    case "ArrowRight":
      return near(cursor.lane, column + 1);
    case "Home":
      return near(cursor.lane, 0);
    case "End":
      return near(cursor.lane, Number.POSITIVE_INFINITY);
    default:
      return undefined;
  }
}

// Wherever the focus is: right after the map is opened it is on the page as a whole.
addEventListener("keydown", (event) => {
  const isButton = event.target instanceof HTMLElement && event.target.closest("button") !== null;
  if (isButton && (event.key === "Enter" || event.key === " ")) return;
  if (state.lanes.length === 0 || event.altKey || event.metaKey || event.ctrlKey) return;
  const target = keyTarget(event.key);
  if (target !== undefined) goTo(target);
  else if (event.key === "Enter" || event.key === " ") show();
  else if (event.key === "+") zoomTo(zoom * 1.6);
  else if (event.key === "-") zoomTo(zoom / 1.6);
  else return;
  event.preventDefault();
});

function placeUnder(event: MouseEvent): MapPlace | undefined {
  const box = drawing.getBoundingClientRect();
  const index = Math.floor((event.clientY - box.top) / scale.lane);
  const lane = state.lanes[index];
  return lane === undefined ? undefined : { lane: index, turn: turnAt(lane, event.clientX - box.left, scale) };
}

drawing.addEventListener("mousemove", (event) => {
  hover = placeUnder(event);
  describe();
});
drawing.addEventListener("mouseleave", () => {
  hover = undefined;
  describe();
});
drawing.addEventListener("click", (event) => {
  const place = placeUnder(event);
  if (place === undefined) return;
  goTo(place);
  show();
});

let waiting = false;
function drawSoon(): void {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}
frame.addEventListener("scroll", drawSoon);
new ResizeObserver(drawSoon).observe(frame);

post({ type: "view.ready" });
