// What outlives the page: drafts, the place in the list, and what is folded. Everything else comes from the host.
import type { ScrollAnchor } from "./transcript.ts";

export interface DraftImage {
  mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  data: string;
}

const SENDABLE = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Whether a picture of a session is of a kind that can be sent again. */
export function isSendable(image: { mimeType: string; data: string }): image is DraftImage {
  return SENDABLE.includes(image.mimeType);
}

export interface Draft {
  text: string;
  /** Start and end of the selection. */
  caret: [number, number];
  images: DraftImage[];
}

export interface SavedPage {
  sessionId: string | null;
  /** By key (`draftKey`), the latest last. */
  drafts: [string, Draft][];
  scroll: ScrollAnchor | null;
  folds: [string, boolean][];
  /** Ids of what the host has put into a composer, and the key of its draft; the latest last. */
  given: [string, string][];
  /** Of the drafts, as the host counts them (`kept-draft.ts`). */
  revision: number;
  /** Keys of drafts that had more pictures than can be kept. */
  bare: string[];
}

/** Characters of pictures kept with drafts; above that they live as long as the page. */
const MAX_IMAGES = 1_500_000;
const MAX_DRAFTS = 20;

/** What was kept, or the empty beginning where it is missing or of another shape. */
export function readSavedPage(kept: unknown): SavedPage {
  const empty: SavedPage = { sessionId: null, drafts: [], scroll: null, folds: [], given: [], revision: 0, bare: [] };
  if (typeof kept !== "object" || kept === null) return empty;
  const page = kept as Partial<SavedPage>;
  return {
    sessionId: typeof page.sessionId === "string" ? page.sessionId : null,
    drafts: Array.isArray(page.drafts) ? page.drafts.filter(isDraftEntry) : [],
    scroll: typeof page.scroll?.id === "string" && typeof page.scroll.offset === "number" ? page.scroll : null,
    folds: Array.isArray(page.folds)
      ? page.folds.filter((fold) => Array.isArray(fold) && typeof fold[0] === "string")
      : [],
    given: Array.isArray(page.given)
      ? page.given.filter((one) => Array.isArray(one) && typeof one[0] === "string")
      : [],
    revision: typeof page.revision === "number" ? page.revision : 0,
    bare: Array.isArray(page.bare) ? page.bare.filter((one) => typeof one === "string") : [],
  };
}

/** A draft that was kept, and behind it what was typed meanwhile. */
export function joinDrafts(kept: Draft | undefined, typed: Draft): Draft {
  if (kept === undefined || (kept.text === "" && kept.images.length === 0)) return typed;
  if (typed.text === "" && typed.images.length === 0) return kept;
  const before = kept.text.trim() === "" ? "" : `${kept.text.trimEnd()}\n\n`;
  const caret: [number, number] = [before.length + typed.caret[0], before.length + typed.caret[1]];
  return { text: before + typed.text, caret, images: [...kept.images, ...typed.images].slice(0, 20) };
}

/** The drafts worth keeping, small enough to be handed to the host with every pause of the typing. */
export function draftsToKeep(drafts: ReadonlyMap<string, Draft>): Pick<SavedPage, "drafts" | "bare"> {
  let room = MAX_IMAGES;
  const bare: string[] = [];
  const kept = [...drafts]
    .filter(([, draft]) => draft.text !== "" || draft.images.length > 0)
    .slice(-MAX_DRAFTS)
    .map(([id, draft]): [string, Draft] => {
      const size = draft.images.reduce((sum, image) => sum + image.data.length, 0);
      if (size > room) {
        bare.push(id);
        return [id, { ...draft, images: [] }];
      }
      room -= size;
      return [id, draft];
    });
  return { drafts: kept, bare };
}

function isDraftEntry(entry: unknown): entry is [string, Draft] {
  if (!Array.isArray(entry) || typeof entry[0] !== "string") return false;
  const draft = entry[1] as Partial<Draft> | undefined;
  return typeof draft?.text === "string" && Array.isArray(draft.caret) && Array.isArray(draft.images);
}
