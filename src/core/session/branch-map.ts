// A session as lanes of turns: one lane per branch, from where it parts to its end, for drawing it as one picture.
import type { BranchOutline } from "./branch-outline.ts";
import type { Session } from "./session.ts";

/** What stands out in a turn. */
export interface MapMark {
  kind: "compaction" | "summary" | "label";
  /** The label's text. */
  label?: string;
}

export interface MapTurn {
  /** First and last shown entry of the turn on this lane; they may be one. */
  firstId: string;
  lastId: string;
  /** The newest reply of the turn: what it was sent with is the size of the context. */
  replyId: string | undefined;
  /** What stands out in it, in order. */
  marks: readonly MapMark[];
}

export interface MapLane {
  /** The entry that the lane begins with: it stays when the lane grows. */
  id: string;
  /** Index of the lane that it parts from, always a smaller one; -1 where it begins at the root. */
  parent: number;
  /** Column of the turn after which it parts; 0 at the root. */
  parentColumn: number;
  /** Column of its first turn; columns count turns from the root, from 1. */
  column: number;
  turns: readonly MapTurn[];
  /** True for the lane of the position. */
  active: boolean;
}

/** After this time the event loop gets its turn (milliseconds). */
const SLICE_MS = 8;
const SLICE_ROWS = 256;

/** A lane that is still to be made. */
interface Begun {
  run: string | null;
  parent: number;
  parentColumn: number;
}

/**
 * The lanes of an outline, made slice by slice. The first one is the position's, from the root to it; under each lane stand
 * those that part from it, the latest first, each with its own below it: drawn in that order, no joint crosses a lane. A
 * lane that parts within a turn begins with the rest of that turn, in the same column.
 */
export async function branchMap(session: Session, outline: BranchOutline): Promise<MapLane[]> {
  const lanes: MapLane[] = [];
  const stack: Begun[] = [{ run: null, parent: -1, parentColumn: 0 }];
  const pause = slices();
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { run, parent, parentColumn } = next;
    const lane = new LaneBuilder(session, parentColumn);
    if (run !== null) lane.take(run);
    const forks: Begun[] = [];
    const index = lanes.length;
    await outline.prepare(run);
    for (const row of outline.run(run)) {
      // Before its first turn, a branch parts from where its lane does.
      if (row.head) forks.push({ run: row.id, parent: lane.isEmpty ? parent : index, parentColumn: lane.column });
      else lane.take(row.id);
      await pause();
    }
    if (!lane.isEmpty) lanes.push({ ...lane.built(), parent, parentColumn, active: run === null });
    // The stack turns the order around: the last one that parts comes first.
    for (const fork of forks) stack.push(fork);
    await pause();
  }
  return lanes;
}

/** A lane with entries that joined its end, as rows of the outline; costs what is new and a copy of the list of turns. */
export function growLane(session: Session, lane: MapLane, added: readonly string[]): MapLane {
  const builder = new LaneBuilder(session, lane.column + lane.turns.length - 1, lane);
  for (const id of added) builder.take(id);
  return { ...lane, ...builder.built() };
}

/** Lets the event loop have its turn where enough was done. */
function slices(): () => Promise<void> | undefined {
  let began = Date.now();
  let done = 0;
  return () => {
    if (++done % SLICE_ROWS !== 0 || Date.now() - began < SLICE_MS) return undefined;
    return new Promise((resolve) =>
      setTimeout(() => {
        began = Date.now();
        resolve();
      }, 0),
    );
  };
}

/** Gathers the entries of one lane by turns. */
class LaneBuilder {
  readonly #session: Session;
  readonly #turns: (MapTurn & { marks: MapMark[] })[] = [];
  #first = 0;
  /** Column of the turn that was taken last. */
  column: number;

  /** Begins behind a column, or goes on with a lane. */
  constructor(session: Session, column: number, lane?: MapLane) {
    this.#session = session;
    this.column = column;
    if (lane === undefined) return;
    this.#first = lane.column;
    this.#turns = lane.turns.slice(0, -1) as (MapTurn & { marks: MapMark[] })[];
    const last = lane.turns.at(-1);
    if (last !== undefined) this.#turns.push({ ...last, marks: [...last.marks] });
  }

  get isEmpty(): boolean {
    return this.#turns.length === 0;
  }

  take(id: string): void {
    const node = this.#session.node(id);
    const begins = node?.role === "user" || this.column === 0;
    if (begins) this.column++;
    if (begins || this.isEmpty) this.#turns.push({ firstId: id, lastId: id, replyId: undefined, marks: [] });
    if (this.#first === 0) this.#first = this.column;
    const turn = this.#turns.at(-1)!;
    turn.lastId = id;
    if (node?.role === "assistant") turn.replyId = id;
    if (node?.type === "compaction") turn.marks.push({ kind: "compaction" });
    if (node?.type === "branch_summary") turn.marks.push({ kind: "summary" });
    const label = this.#session.getLabel(id);
    if (label !== undefined) turn.marks.push({ kind: "label", label });
  }

  built(): Pick<MapLane, "id" | "column" | "turns"> {
    return { id: this.#turns[0]!.firstId, column: this.#first, turns: this.#turns };
  }
}
