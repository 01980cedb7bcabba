// The tree of a session as rows: straight runs are flat, only what parts from them is one level deeper (product.md, tree).
import { giveWay, isTurnOver } from "../give-way.ts";
import type { Session, SessionNode } from "./session.ts";
import { shows, type TreeFilter } from "./tree-filter.ts";

export interface OutlineRow {
  id: string;
  /** True where another branch than the run's begins: its other rows are the run `id`. */
  head: boolean;
  /** Rows behind a head on all its branches; 0 for the others. */
  below: number;
  /** Branches that go on from here, in shown rows; 1 on a straight run, 0 at a tip. */
  branches: number;
  /** True on the way from the root to the position. */
  onPath: boolean;
}

/** Where an entry is shown: the run and the index in it. */
export interface OutlinePlace {
  /** Id of the head whose run it is; null for the run of the position. */
  run: string | null;
  index: number;
}

/** What joined entries change. */
export interface OutlineUpdate {
  /** Rows stand elsewhere than before: every run is to be asked for again. */
  moved: boolean;
  /** Rows that joined the end of the position's run. */
  added: readonly string[];
  /** Rows that stand where they stood and say something else. */
  changed: readonly string[];
}

const NONE = -1;
/** Entries between two looks at the clock, and rows of which only numbers are added up. */
const SLICE_ENTRIES = 256;
const SLICE_NUMBERS = 16_384;
/** Passes over a session that is written to all the while; what joins after the last one is told of. */
const PASSES = 50;
const MOVED: OutlineUpdate = { moved: true, added: [], changed: [] };

async function inSlices(steps: Iterable<void>): Promise<void> {
  for (const _step of steps) if (isTurnOver()) await giveWay();
}
function atOnce(steps: Iterable<void>): void {
  for (const _step of steps);
}

/**
 * Rows of a session under a filter. The run of the position goes from the root to the position; every other branch is a
 * head beside the row after which it parts, and its run follows the largest branch, so that no depth exceeds the logarithm
 * of the number of rows. An entry that is not shown hands its branches to the nearest shown ancestor. Needs `ready()`.
 */
export class BranchOutline {
  readonly #session: Session;
  readonly filter: TreeFilter;
  #ids: string[] = [];
  /** The row of every entry, or of the nearest shown one above it. */
  #rowAt = new Map<string, number>();
  #parent: number[] = [];
  #children: (number[] | undefined)[] = [];
  #roots: number[] = [];
  #below: number[] = [];
  #onPath: boolean[] = [];
  /** Index in the run that was made last with the row in it. */
  #inRun: number[] = [];
  #position = NONE;
  #leafId: string | null = null;
  /** Of the session, when the rows were made. */
  #shape = -1;
  #runs = new Map<string | null, OutlineRow[]>();
  #labels: ReadonlyMap<string, string> = new Map();

  /** The outline at once; `create` makes it without holding the event loop. */
  constructor(session: Session, filter: TreeFilter, now = true) {
    this.#session = session;
    this.filter = filter;
    if (now) atOnce(this.#steps());
  }

  /** Makes the outline of a session of any size slice by slice, the run of the position included. */
  static async create(session: Session, filter: TreeFilter): Promise<BranchOutline> {
    const outline = new BranchOutline(session, filter, false);
    // What joins in between is taken up by the next pass.
    for (let pass = 0; pass < PASSES && !outline.#isCurrent(); pass++) await inSlices(outline.#steps());
    await outline.prepare(null);
    return outline;
  }

  /** Shown rows of all branches. */
  get size(): number {
    return this.#ids.length;
  }
  /** The row of the position: the last one shown on the way to it. */
  get positionId(): string | undefined {
    return this.#ids[this.#position];
  }

  #isCurrent(): boolean {
    const session = this.#session;
    const isWhole = this.#shape === session.shape() && this.#rowAt.size === session.size();
    return isWhole && this.#leafId === session.getLeafId() && this.#hasLabels(session.labels());
  }
  #hasLabels(labels: ReadonlyMap<string, string>): boolean {
    if (labels.size !== this.#labels.size) return false;
    for (const [id, label] of labels) if (this.#labels.get(id) !== label) return false;
    return true;
  }

  /** Takes up every entry that has not been, after all of them have been dropped where some are not what they were. */
  *#steps(): Generator<void> {
    const session = this.#session;
    if (this.#shape !== session.shape() || !this.#hasLabels(session.labels())) this.#clear();
    this.#shape = session.shape();
    this.#labels = new Map(session.labels());
    // In file order; an entry that stands before its parent waits for it.
    const waiting = new Map<string, string[]>();
    let count = 0;
    for (const first of session.allIds()) {
      if (++count % SLICE_ENTRIES === 0) yield;
      const stack = [first];
      for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
        const node = session.node(id);
        if (node === undefined || this.#rowAt.has(id)) continue;
        if (this.#take(node)) {
          const followed = waiting.get(id) ?? [];
          for (let at = followed.length - 1; at >= 0; at--) stack.push(followed[at]!);
        } else {
          const others = waiting.get(node.parentId!);
          if (others === undefined) waiting.set(node.parentId!, [id]);
          else others.push(id);
        }
      }
    }
    yield* this.#settling();
  }

  /** Adds an entry; false where its parent has not been added yet. */
  #take(node: SessionNode): boolean {
    const above = node.parentId === null ? NONE : this.#rowAt.get(node.parentId);
    if (above === undefined) return false;
    this.#rowAt.set(node.id, shows(this.#session, node, this.filter) ? this.#add(node.id, above) : above);
    return true;
  }

  #add(id: string, above: number): number {
    const at = this.#ids.push(id) - 1;
    this.#parent.push(above);
    this.#below.push(0);
    this.#onPath.push(false);
    if (above === NONE) this.#roots.push(at);
    else {
      this.#children[above] ??= [];
      this.#children[above].push(at);
    }
    return at;
  }

  /** What follows from the rows as a whole and from the position. */
  *#settling(): Generator<void> {
    const count = this.#ids.length;
    this.#below.fill(0);
    for (let at = count - 1; at >= 0; at--) {
      if (at % SLICE_NUMBERS === 0) yield;
      const parent = this.#parent[at]!;
      if (parent !== NONE) this.#below[parent]! += this.#below[at]! + 1;
    }
    this.#onPath.fill(false);
    this.#leafId = this.#session.getLeafId();
    this.#position = this.#leafId === null ? NONE : (this.#rowAt.get(this.#leafId) ?? NONE);
    for (let at = this.#position; at !== NONE; at = this.#parent[at]!) this.#onPath[at] = true;
    this.#runs = new Map();
  }

  #childrenOf(at: number): readonly number[] {
    return (at === NONE ? this.#roots : this.#children[at]) ?? [];
  }

  /** The child that goes on in the same run. */
  #next(at: number): number {
    const children = this.#childrenOf(at);
    if (at === NONE || this.#onPath[at] === true) return children.find((child) => this.#onPath[child]) ?? NONE;
    let best = NONE;
    for (const child of children) if (best === NONE || this.#below[child]! > this.#below[best]!) best = child;
    return best;
  }

  /** Rows of the position's run (null), or those behind a head; empty where the head is none. Made when first asked for. */
  run(head: string | null): readonly OutlineRow[] {
    if (!this.#runs.has(head)) atOnce(this.#runSteps(head));
    return this.#runs.get(head) ?? [];
  }

  /** Makes a run of any length slice by slice: `run` then has it. */
  async prepare(head: string | null): Promise<void> {
    if (!this.#runs.has(head)) await inSlices(this.#runSteps(head));
  }

  *#runSteps(head: string | null): Generator<void> {
    const rows: OutlineRow[] = [];
    const runs = this.#runs;
    let at = head === null ? NONE : this.#shownAt(head);
    if (at === undefined) return;
    for (let next = this.#next(at); ; next = this.#next(at)) {
      for (const child of this.#childrenOf(at)) {
        if (child === next) continue;
        this.#push(rows, child, true);
        if (rows.length % SLICE_ENTRIES === 0) yield;
      }
      if (next === NONE) break;
      this.#push(rows, next, false);
      if (rows.length % SLICE_ENTRIES === 0) yield;
      // Rows joined or moved in between: who asks next begins anew.
      if (runs !== this.#runs) return;
      at = next;
    }
    if (!runs.has(head)) runs.set(head, rows);
  }

  #push(rows: OutlineRow[], at: number, head: boolean): void {
    this.#inRun[at] = rows.length;
    rows.push({
      id: this.#ids[at]!,
      head,
      below: head ? this.#below[at]! : 0,
      branches: this.#childrenOf(at).length,
      onPath: this.#onPath[at]!,
    });
  }

  /** The row of an entry that is shown itself. */
  #shownAt(id: string): number | undefined {
    const at = this.#rowAt.get(id);
    return at !== undefined && this.#ids[at] === id ? at : undefined;
  }

  /** The entry itself where it is shown, else the nearest shown one above it; undefined where there is none. */
  rowFor(id: string | null): string | undefined {
    return id === null ? undefined : this.#ids[this.#rowAt.get(id) ?? NONE];
  }

  /** Where a shown entry stands, or undefined. */
  placeOf(id: string): OutlinePlace | undefined {
    const at = this.#shownAt(id);
    if (at === undefined) return undefined;
    let run: string | null = null;
    // A head stands in the run of the row that it parts from.
    for (let above = this.#parent[at]!; above !== NONE && !this.#onPath[above]; above = this.#parent[above]!) {
      if (this.#next(this.#parent[above]!) === above) continue;
      run = this.#ids[above]!;
      break;
    }
    return this.run(run).length === 0 ? undefined : { run, index: this.#inRun[at]! };
  }

  /** Takes up what joined the session. What only grew at the position costs what is new, whatever stands above it. */
  update(appended: readonly string[]): OutlineUpdate {
    const update = this.#taken(appended);
    if (update !== undefined) return update;
    this.#clear();
    atOnce(this.#steps());
    return MOVED;
  }

  /** The same, slice by slice where all has to be made anew: until it is, the rows are what they were. */
  async grow(appended: readonly string[]): Promise<OutlineUpdate> {
    const update = this.#taken(appended);
    if (update === undefined) this.#become(await BranchOutline.create(this.#session, this.filter));
    else if (update.moved) await this.prepare(null);
    return update ?? MOVED;
  }

  /** Undefined, and nothing changed, where the outline has to be made anew. */
  #taken(appended: readonly string[]): OutlineUpdate | undefined {
    const session = this.#session;
    if (session.shape() !== this.#shape) return undefined;
    const nodes = appended.map((id) => session.node(id));
    // What joined while the outline was made is told of afterwards.
    if (nodes.every((node) => node !== undefined && this.#rowAt.has(node.id)) && this.#isCurrent()) {
      return { moved: false, added: [], changed: [] };
    }
    const joined = new Set<string>();
    for (const node of nodes) {
      // A file that was read anew has other entries than those that are told of.
      if (node === undefined || this.#rowAt.has(node.id)) return undefined;
      const { parentId } = node;
      if (parentId !== null && !this.#rowAt.has(parentId) && !joined.has(parentId)) return undefined;
      joined.add(node.id);
    }
    if (this.#rowAt.size + joined.size !== session.size()) return undefined;
    const changed = this.#relabelled(nodes as SessionNode[]);
    if (changed === undefined) return undefined;
    const grows = this.#onlyGrows(nodes as SessionNode[]);
    const first = this.#ids.length;
    for (const node of nodes) this.#take(node!);
    if (!grows) {
      atOnce(this.#settling());
      return MOVED;
    }
    this.#leafId = session.getLeafId();
    const run = this.#runs.get(null);
    const before = this.#position;
    if (first < this.#ids.length && before !== NONE) changed.push(this.#ids[before]!);
    for (let at = first; at < this.#ids.length; at++) {
      this.#onPath[at] = true;
      const last = run?.at(-1);
      if (last !== undefined && this.#position !== NONE) last.branches = 1;
      this.#position = at;
      if (run !== undefined) this.#push(run, at, false);
    }
    return { moved: false, added: this.#ids.slice(first), changed };
  }

  /** Rows whose label changed; undefined where one is shown or hidden for it. */
  #relabelled(nodes: readonly SessionNode[]): string[] | undefined {
    const changed: string[] = [];
    if (!nodes.some((node) => node.type === "label")) return changed;
    const session = this.#session;
    const before = this.#labels;
    this.#labels = new Map(session.labels());
    for (const id of new Set([...before.keys(), ...this.#labels.keys()])) {
      const node = session.node(id);
      if (before.get(id) === this.#labels.get(id) || node === undefined || !this.#rowAt.has(id)) continue;
      const shown = this.#shownAt(id) !== undefined;
      if (shown !== shows(session, node, this.filter)) return undefined;
      if (shown) changed.push(id);
    }
    return changed;
  }

  /** True where each entry follows the one before it, the first one the old leaf, and the position goes along. */
  #onlyGrows(nodes: readonly SessionNode[]): boolean {
    const leafId = this.#session.getLeafId();
    if (nodes.length === 0 || leafId === null || this.#childrenOf(this.#position).length > 0) return false;
    let last = this.#leafId;
    for (const node of nodes) {
      if (node.parentId !== last || node.type === "leaf") return false;
      last = node.id;
    }
    return last === leafId;
  }

  #clear(): void {
    this.#ids = [];
    this.#rowAt = new Map();
    this.#parent = [];
    this.#children = [];
    this.#roots = [];
    this.#below = [];
    this.#onPath = [];
    this.#inRun = [];
    this.#runs = new Map();
  }

  #become(other: BranchOutline): void {
    this.#ids = other.#ids;
    this.#rowAt = other.#rowAt;
    this.#parent = other.#parent;
    this.#children = other.#children;
    this.#roots = other.#roots;
    this.#below = other.#below;
    this.#onPath = other.#onPath;
    this.#inRun = other.#inRun;
    this.#position = other.#position;
    this.#leafId = other.#leafId;
    this.#shape = other.#shape;
    this.#runs = other.#runs;
    this.#labels = other.#labels;
  }
}
