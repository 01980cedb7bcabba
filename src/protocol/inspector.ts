// What passes between the context inspector's page and the host.
import * as z from "zod/mini";
import type { SessionTab } from "./session-tab.ts";

const id = z.string().check(z.minLength(1), z.maxLength(200));

export const fromInspectorSchema = z.discriminatedUnion("type", [
  /** The page has started (again) and needs all of it. */
  z.object({ type: z.literal("view.ready") }),
  /** Shows the entry in the chat and the tree; writes nothing. */
  z.object({ type: z.literal("entry.show"), entryId: id }),
  z.object({ type: z.literal("entry.drop"), entryId: id }),
  z.object({ type: z.literal("entry.takeBack"), entryId: id }),
  z.object({ type: z.literal("entry.pin"), entryId: id, pinned: z.boolean() }),
  /** Opens the request as JSON in an editor. */
  z.object({ type: z.literal("request.open"), which: z.enum(["last", "next", "sent"]) }),
  z.object({ type: z.literal("compaction.preview") }),
]);
export type FromInspector = z.infer<typeof fromInspectorSchema>;

/** A number of tokens and whether a provider reported it. */
export interface TokenCount {
  tokens: number;
  reported: boolean;
}

/** A part of the request that is no message. */
export interface InspectorPart {
  title: string;
  tokens: number;
  text: string;
}

export interface InspectorItem {
  entryId: string;
  kind: "user" | "reply" | "tools" | "result" | "shell" | "compaction" | "branchSummary" | "note" | "setting";
  /** The kind in the person's language. */
  kindName: string;
  title: string;
  /** The beginning of the text. */
  text: string;
  size: TokenCount;
  /** Nothing of it is sent: a reply that failed, or one of thinking alone. */
  unsent?: true;
  /** US dollars that the request behind a reply cost. */
  costUsd?: number;
  pinned: boolean;
  /** True where it can be left out of the context. */
  droppable: boolean;
}

export interface InspectorState {
  title: string;
  model: string | null;
  /** True while something runs: nothing can be dropped or pinned. */
  busy: boolean;
  /** Tokens. */
  window: number;
  /** Null while automatic compaction is off. */
  threshold: number | null;
  reserveTokens: number;
  keepRecentTokens: number;
  used: TokenCount;
  system: InspectorPart[];
  tools: InspectorPart[];
  items: InspectorItem[];
  /** First entry that a compaction would keep now; null where there is nothing to compact. */
  cutBefore: string | null;
  /** Last entry of the last request, all before it in the provider's cache; null where nothing is known to be cached. */
  cachedThrough: string | null;
  /** Tokens that the last request read from the cache or wrote to it. */
  cachedTokens: number;
  /** Entries that were left out by hand. */
  dropped: { entryId: string; kindName: string; title: string }[];
  last: {
    model: string;
    /** Epoch ms. */
    sentAt: number;
    /** Bytes of the JSON. */
    bytes: number;
    messages: number;
    parts: { title: string; tokens: number; text: string }[];
  } | null;
  /** Size of the context over the way to the position. */
  history: { entryId: string; kind: "reply" | "compaction"; tokens: number; title: string }[];
}

export type ToInspector = {
  type: "state";
  state: InspectorState;
  strings: Record<string, string>;
  restore?: SessionTab;
};
