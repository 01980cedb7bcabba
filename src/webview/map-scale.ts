// Where things are on the branch map: columns to pixels, tokens to heights, and the outline of a lane (pure: no page in here).
import type { MapLaneView } from "../protocol/branch-map.ts";

/** Heights of a lane, px: as low as is still legible, as high as is still one line. */
const LOWEST_LANE = 40;
const HIGHEST_LANE = 96;
/** Below the baseline of a lane, and above its tallest context, px. */
const BELOW = 7;
const ABOVE = 11;
/** Before the first turn, px. */
export const LEFT = 14;
/** A turn is never drawn wider than this, px: where few turns have all the room, and where many are zoomed into. */
const WIDEST_TURN = 60;
const ZOOMED_TURN = 28;

export interface MapScale {
  /** Width of a turn, px; less than one where many share a pixel. */
  step: number;
  /** Tokens of the tallest context. */
  top: number;
  /** Columns of the longest branch. */
  columns: number;
  /** Height of a lane, its baseline below its top, and the height of the tallest context, px. */
  lane: number;
  base: number;
  tallest: number;
}

/** A scale that fits the columns into `width` px and, where they are few, the lanes into `height`; `zoom` is 1 or more. */
export function scaleOf(lanes: readonly MapLaneView[], width: number, height: number, zoom: number): MapScale {
  let top = 0;
  let columns = 1;
  for (const lane of lanes) {
    for (const tokens of lane.tokens) if (tokens !== null && tokens > top) top = tokens;
    columns = Math.max(columns, lane.column + lane.tokens.length - 1);
  }
  const lane = Math.max(LOWEST_LANE, Math.min(HIGHEST_LANE, Math.floor(height / Math.max(1, lanes.length))));
  return { step: fitted(columns, width) * zoom, top, columns, lane, base: lane - BELOW, tallest: lane - BELOW - ABOVE };
}

function fitted(columns: number, width: number): number {
  return Math.min(WIDEST_TURN, Math.max(60, width) / columns);
}

/** The zoom at which a turn is as wide as it gets. */
export function largestZoom(columns: number, width: number): number {
  return Math.max(1, ZOOMED_TURN / fitted(columns, width));
}

/** Right end of a column; of column 0 the beginning. */
export function xOf(column: number, scale: MapScale): number {
  return LEFT + column * scale.step;
}

/** Height above the baseline. */
export function heightOf(tokens: number, scale: MapScale): number {
  return scale.top === 0 ? 0 : (tokens / scale.top) * scale.tallest;
}

/** The column of a lane's turn that is drawn at `x`. */
export function turnAt(lane: MapLaneView, x: number, scale: MapScale): number {
  const column = Math.ceil((x - LEFT) / scale.step);
  return Math.max(0, Math.min(lane.tokens.length - 1, column - lane.column));
}

/** Points of the context's size along a lane; what nobody counted keeps the size before it. */
function points(lane: MapLaneView, before: number, scale: MapScale): { x: number; tokens: number }[] {
  const compacted = new Set(lane.marks.flatMap((mark) => (mark.kind === "compaction" ? [mark.turn] : [])));
  let last = before;
  const out = [{ x: xOf(lane.column - 1, scale), tokens: last }];
  lane.tokens.forEach((tokens, turn) => {
    last = tokens === null || tokens === 0 ? last : tokens;
    const x = xOf(lane.column + turn, scale);
    out.push({ x, tokens: last });
    // A compaction is a fall and no slope.
    const next = lane.tokens[turn + 1];
    if (compacted.has(turn) && next !== undefined && next !== null && next > 0 && next < last) {
      out.push({ x, tokens: next });
      last = next;
    }
  });
  return out;
}

/** The upper edge of a lane as a path, at most two points per pixel. `before`: tokens where it parts. */
export function edgeOf(lane: MapLaneView, before: number, scale: MapScale): string {
  const parts: string[] = [];
  const put = (x: number, tokens: number) =>
    parts.push(`${parts.length === 0 ? "M" : "L"}${x.toFixed(1)} ${(scale.base - heightOf(tokens, scale)).toFixed(1)}`);
  let pixel = Number.NaN;
  let high = 0;
  let low = 0;
  const flush = () => {
    if (Number.isNaN(pixel)) return;
    put(pixel, high);
    if (low < high) put(pixel, low);
  };
  if (scale.step >= 1) for (const { x, tokens } of points(lane, before, scale)) put(x, tokens);
  else {
    for (const { x, tokens } of points(lane, before, scale)) {
      const at = Math.round(x);
      if (at === pixel) {
        high = Math.max(high, tokens);
        low = Math.min(low, tokens);
        continue;
      }
      flush();
      pixel = at;
      high = tokens;
      low = tokens;
    }
    flush();
  }
  return parts.join("");
}

/** Tokens of the context where a lane parts from its parent; 0 where that is not known. */
export function tokensBefore(lanes: readonly MapLaneView[], lane: MapLaneView): number {
  const parent = lanes[lane.parent];
  if (parent === undefined) return 0;
  for (let turn = lane.column - 1 - parent.column; turn >= 0; turn--) {
    const tokens = parent.tokens[turn];
    if (tokens !== null && tokens !== undefined && tokens > 0) return tokens;
  }
  return 0;
}

/** Columns that are named on the axis: round numbers, at least `gap` px apart. */
export function ticksOf(scale: MapScale, gap = 70): number[] {
  const rough = gap / scale.step;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? 10 * power);
  const ticks: number[] = [];
  for (let column = step; column <= scale.columns; column += step) ticks.push(column);
  return ticks[0] === 1 ? ticks : [1, ...ticks];
}
