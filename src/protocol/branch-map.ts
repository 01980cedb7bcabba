// What passes between the page of the branch map and the host.
import * as z from "zod/mini";
import type { SessionTab } from "./session-tab.ts";

const id = z.string().check(z.minLength(1), z.maxLength(200));

export const fromBranchMapSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("view.ready") }),
  z.object({ type: z.literal("entry.show"), entryId: id }),
  /** Asks for the words of entries that come into sight. */
  z.object({ type: z.literal("entries.describe"), entryIds: z.array(id).check(z.maxLength(100)) }),
]);
export type FromBranchMap = z.infer<typeof fromBranchMapSchema>;

export type MapMarkKind = "compaction" | "summary" | "label";

/** One branch, from where it parts to its end. Arrays have one element per turn. */
export interface MapLaneView {
  id: string;
  /** Index of the lane that it parts from, -1 for none, and the column of the turn after which it does. */
  parent: number;
  parentColumn: number;
  /** Column of its first turn; columns count turns from the root, from 1. */
  column: number;
  /** True for the branch of the position. */
  active: boolean;
  firstIds: string[];
  lastIds: string[];
  /** Tokens of the context; 0 where nobody counted them, null while they are being read. */
  tokens: (number | null)[];
  marks: { turn: number; kind: MapMarkKind; label?: string }[];
}

/** A turn of a lane, by their indexes. */
export interface MapPlace {
  lane: number;
  turn: number;
}

export interface BranchMapState {
  title: string;
  lanes: MapLaneView[];
  position: MapPlace | null;
  /** What the chat shows where that is not the position. */
  shown: MapPlace | null;
}

export interface DescribedEntry {
  id: string;
  kindName: string;
  title: string;
  /** Time and day in words. */
  time: string;
}

export type ToBranchMap =
  | { type: "state"; state: BranchMapState; strings: Record<string, string>; restore?: SessionTab }
  /** Lanes of the same picture that grew or whose sizes became known, by index. */
  | { type: "lanes"; lanes: [number, MapLaneView][]; position: MapPlace | null; shown: MapPlace | null }
  | { type: "described"; entries: DescribedEntry[] };
