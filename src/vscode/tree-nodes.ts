// What the Session Tree hands to the editor as its elements (pure: no editor in here).
import type { OutlineRow } from "../core/session/branch-outline.ts";
import type { RowContent } from "./tree-row.ts";

/** A row on the screen. `folded`: the tool steps or failed attempts that share it, the last one being `entryId`. */
export interface EntryNode {
  kind: "entry";
  key: string;
  entryId: string;
  run: string | null;
  row: OutlineRow;
  folded: string[];
}

/** Stands for rows that are not loaded. */
export interface MoreNode {
  kind: "more";
  key: string;
  run: string | null;
  direction: "earlier" | "later";
  /** Rows behind it. */
  hidden: number;
}

export type TreeNode = EntryNode | MoreNode;

/** What is known of a row beside its entry. */
export interface RowState {
  content: RowContent;
  label: string | undefined;
  position: boolean;
  /** The chat shows the branch that ends here, while the position is elsewhere. */
  shown: boolean;
  /** A compaction that is being previewed would keep this row and what follows. */
  cut: boolean;
  running: boolean;
  /** It is the position, and what runs there waits for an approval. */
  waiting: boolean;
  /** It is the compaction that can be undone now. */
  undoable: boolean;
  /** Tokens of the context behind a compaction, where they are known. */
  tokensAfter: number | undefined;
  /** Names of all tools of a folded row. */
  tools: readonly string[];
}
