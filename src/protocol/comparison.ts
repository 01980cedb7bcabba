// What passes between the page of a branch comparison and the host.
import * as z from "zod/mini";

const id = z.string().check(z.minLength(1), z.maxLength(200));

export const fromComparisonSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("view.ready") }),
  z.object({ type: z.literal("entry.show"), entryId: id }),
  /** Moves the position to the end of a branch. */
  z.object({ type: z.literal("branch.continue"), entryId: id }),
]);
export type FromComparison = z.infer<typeof fromComparisonSchema>;

export interface SpendingView {
  requests: number;
  /** Tokens. */
  input: number;
  output: number;
  /** US dollars; null where no price is known at all. */
  costUsd: number | null;
  /** True where some of it has no price. */
  partly: boolean;
}

export interface ComparisonSide {
  leafId: string;
  /** True where the position is at its end. */
  position: boolean;
  name: string;
  rows: { entryId: string; kind: string; kindName: string; title: string; text: string }[];
  /** Rows that are not shown. */
  hidden: number;
  modifiedFiles: string[];
  readFiles: string[];
  spending: SpendingView;
}

export interface ComparisonState {
  title: string;
  /** Where they part, or null where they begin apart. */
  common: { entryId: string; kindName: string; title: string } | null;
  /** Entries that both share. */
  shared: number;
  sharedSpending: SpendingView;
  /** Both branches and the shared part, counted once. */
  together: SpendingView;
  sides: [ComparisonSide, ComparisonSide];
}

/** What the tab needs to come back after the window was loaded again: the session and the ends of both branches. */
export const comparisonRestoreSchema = z.object({
  file: z.string().check(z.minLength(1), z.maxLength(4096)),
  left: id,
  right: id,
});

export type ToComparison = {
  type: "state";
  state: ComparisonState;
  strings: Record<string, string>;
  restore?: z.infer<typeof comparisonRestoreSchema>;
};
