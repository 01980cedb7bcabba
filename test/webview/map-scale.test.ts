import { describe, expect, it } from "vitest";
import type { MapLaneView } from "../../src/protocol/branch-map.ts";
import {
  edgeOf,
  heightOf,
  largestZoom,
  scaleOf,
  ticksOf,
  tokensBefore,
  turnAt,
  xOf,
} from "../../src/webview/map-scale.ts";

function lane(tokens: (number | null)[], more: Partial<MapLaneView> = {}): MapLaneView {
  const ids = tokens.map((_tokens, turn) => `${more.column ?? 1}-${turn}`);
  return {
    ...{ id: ids[0] ?? "", parent: -1, parentColumn: 0, column: 1, active: false },
    ...{ firstIds: ids, lastIds: ids, tokens, marks: [], ...more },
  };
}
/** The points of a path. */
const pointsOf = (path: string) =>
  [...path.matchAll(/[ML]([\d.-]+) ([\d.-]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);

describe("the scale of the branch map", () => {
  it("fits the longest branch into the width, and is no wider than is of use", () => {
    const long = scaleOf([lane(new Array<number>(3000).fill(1))], 900, 500, 1);
    expect(xOf(3000, long)).toBeCloseTo(914);
    expect(xOf(10, scaleOf([lane(new Array<number>(10).fill(1))], 900, 500, 1))).toBe(614);
    expect(scaleOf([lane([1, 2]), lane([3], { column: 7 })], 900, 500, 1)).toMatchObject({ columns: 7, top: 3 });
  });

  it("gives few lanes the height that is there, and many the least that is legible", () => {
    const of = (count: number) =>
      scaleOf(
        Array.from({ length: count }, () => lane([1])),
        900,
        480,
        1,
      ).lane;
    expect(of(6)).toBe(80);
    expect(of(1)).toBe(96);
    expect(of(300)).toBe(40);
  });

  it("zooms until a turn is as wide as it gets", () => {
    const lanes = [lane(new Array<number>(3000).fill(1))];
    expect(scaleOf(lanes, 900, 500, largestZoom(3000, 900)).step).toBeCloseTo(28);
    expect(largestZoom(2, 900)).toBe(1);
  });

  it("finds the turn under the pointer, also beside the lane", () => {
    const one = lane([1, 2, 3], { column: 4 });
    const scale = scaleOf([one], 600, 500, 1);
    for (const turn of [0, 1, 2]) expect(turnAt(one, xOf(4 + turn, scale) - 1, scale)).toBe(turn);
    expect(turnAt(one, 0, scale)).toBe(0);
    expect(turnAt(one, 9999, scale)).toBe(2);
  });

  it("begins a branch at the size where it parts", () => {
    const lanes = [lane([10, 20, null, 40]), lane([60], { parent: 0, parentColumn: 3, column: 4 })];
    expect(tokensBefore(lanes, lanes[1]!)).toBe(20);
    expect(tokensBefore(lanes, lanes[0]!)).toBe(0);
    expect(tokensBefore(lanes, lane([5], { parent: 0, parentColumn: 2, column: 2 }))).toBe(10);
  });

  it("draws a compaction as a fall and keeps the last size where nobody counted", () => {
    const one = lane([50, 100, 20, 0, 40], { marks: [{ turn: 1, kind: "compaction" }] });
    const scale = scaleOf([one], 600, 500, 1);
    const at = (column: number, tokens: number) => [
      xOf(column, scale),
      Number((scale.base - heightOf(tokens, scale)).toFixed(1)),
    ];
    expect(pointsOf(edgeOf(one, 0, scale))).toEqual(
      [at(0, 0), at(1, 50), at(2, 100), at(2, 20), at(3, 20), at(4, 20), at(5, 40)].map(([x, y]) => [
        Number(x!.toFixed(1)),
        y,
      ]),
    );
  });

  it("draws no more points than two a pixel, and loses no peak", () => {
    const tokens = Array.from({ length: 9000 }, (_, turn) => (turn === 4567 ? 1000 : 10));
    const one = lane(tokens);
    const scale = scaleOf([one], 300, 500, 1);
    const points = pointsOf(edgeOf(one, 0, scale));
    expect(points.length).toBeLessThanOrEqual(2 * 302);
    expect(Math.min(...points.map(([, y]) => y!))).toBe(scale.base - scale.tallest);
  });

  it("names round columns, far enough apart to be read", () => {
    expect(ticksOf(scaleOf([lane(new Array<number>(226).fill(1))], 560, 500, 1))).toEqual([1, 50, 100, 150, 200]);
    expect(ticksOf(scaleOf([lane([1, 1])], 560, 500, 1))).toEqual([1, 2]);
    for (const count of [1, 7, 40, 999, 12_345]) {
      const scale = scaleOf([lane(new Array<number>(count).fill(1))], 700, 500, 1);
      const [, ...ticks] = ticksOf(scale);
      for (let i = 1; i < ticks.length; i++)
        expect((ticks[i]! - ticks[i - 1]!) * scale.step).toBeGreaterThanOrEqual(70);
    }
  });
});
