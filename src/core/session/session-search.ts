// Searching the words of a session that are no longer in front of the model, without holding the session in memory.
import { giveWay, isTurnOver } from "../give-way.ts";
import { contentText } from "../llm/messages.ts";
import type { SessionEntry } from "./entries.ts";
import { formsOf, wordsOf } from "./search-words.ts";
import type { Session } from "./session.ts";
import { WordIndex } from "./word-index.ts";

export interface SearchHit {
  id: string;
  /** Who said it: `user`, `assistant`, the tool's name… */
  author: string;
  /** ISO 8601. */
  timestamp: string;
  /** The place that answers best. */
  excerpt: string;
  onBranch: boolean;
}

export interface SearchOptions {
  /** `current`: the branch of the position; `all`: other branches too. */
  branches: "current" | "all";
  /** Ids that the model has before it anyway. */
  except: ReadonlySet<string>;
  limit: number;
  signal: AbortSignal;
}

/** Entries read in one go. */
const BATCH = 64;
/** Of a longer text, beginning and end are indexed (characters). */
const MAX_INDEXED = 256 * 1024;
/** The best by index, whose texts are read and looked at again. */
const CANDIDATES = 24;
/** Entries since the last question that are walked one by one. */
const MAX_STEPS = 1000;
const EXCERPT = 500;
/** Tools whose results only repeat what stands elsewhere in the session. */
const REPEATING_TOOLS = new Set(["recall"]);

/** What an entry says, for searching and for reading it again; undefined where it says nothing of its own. */
export function searchableText(entry: SessionEntry): { author: string; text: string } | undefined {
  if (entry.type === "custom_message") return { author: entry.customType, text: contentText(entry.content) };
  if (entry.type === "branch_summary") return { author: "summary of a branch", text: entry.summary };
  if (entry.type !== "message") return undefined;
  const { message } = entry;
  switch (message.role) {
    case "user":
    case "custom":
      return { author: message.role, text: contentText(message.content) };
    case "assistant": {
      const parts = message.content.map((part) => {
        if (part.type === "text") return part.text;
        return part.type === "toolCall" ? `${part.name} ${callText(part.arguments)}` : "";
      });
      return { author: "assistant", text: parts.filter((part) => part !== "").join("\n") };
    }
    case "toolResult":
      if (REPEATING_TOOLS.has(message.toolName)) return undefined;
      return { author: message.toolName, text: contentText(message.content) };
    case "bashExecution":
      return { author: "terminal", text: `${message.command}\n${message.output}` };
    default:
      return undefined;
  }
}

function callText(args: Record<string, unknown>): string {
  return Object.entries(args ?? {})
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : (JSON.stringify(value) ?? "")}`)
    .join("\n");
}

export class SessionSearch {
  readonly #session: Session;
  #index = new WordIndex();
  /** Ids by entry number. */
  #ids: string[] = [];
  /** Entries of the file that were looked at, those without words included. */
  #seen = 0;
  #building: Promise<void> | undefined;
  #branch: { leafId: string | null; ids: Set<string> } = { leafId: null, ids: new Set() };

  constructor(session: Session) {
    this.#session = session;
  }

  /** Bytes of the index, for measuring. */
  get byteSize(): number {
    return this.#index.byteSize;
  }

  /** Brings the index up to date, slice by slice; what was indexed before is not read again. */
  async prepare(): Promise<void> {
    this.#building ??= this.#build().finally(() => {
      this.#building = undefined;
    });
    await this.#building;
  }

  /** The entries that answer best, best first. Waits for the index the first time. */
  async search(query: string, { branches, except, limit, signal }: SearchOptions): Promise<SearchHit[]> {
    await this.prepare();
    signal.throwIfAborted();
    const branch = this.#branchIds();
    const ranked = this.#index.rank(query, CANDIDATES, (number) => {
      const id = this.#ids[number]!;
      return !except.has(id) && (branches === "all" || branch.has(id));
    });
    const entries = await this.#session.getEntries(ranked.map(({ entry }) => this.#ids[entry]!));
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    const terms = [...new Set(wordsOf(query.toLowerCase()))];
    const texts = new Set<string>();
    const hits: { score: number; hit: SearchHit }[] = [];
    for (const { entry: number, score } of ranked) {
      const entry = byId.get(this.#ids[number]!);
      const said = entry === undefined ? undefined : searchableText(entry);
      // What was copied when a compaction was undone is found once.
      if (entry === undefined || said === undefined || texts.has(said.text)) continue;
      texts.add(said.text);
      const { excerpt, share } = bestExcerpt(said.text, terms);
      if (share === 0) continue;
      const onBranch = branch.has(entry.id);
      const hit = { id: entry.id, author: said.author, timestamp: entry.timestamp, excerpt, onBranch };
      hits.push({ score: score * (0.3 + share * share), hit });
    }
    hits.sort((a, b) => b.score - a.score);
    return hits.slice(0, limit).map(({ hit }) => hit);
  }

  /** The ids of the branch; from question to question only what is new is added. */
  #branchIds(): ReadonlySet<string> {
    const leafId = this.#session.getLeafId();
    const added: string[] = [];
    let id = leafId;
    while (id !== null && id !== this.#branch.leafId && added.length < MAX_STEPS) {
      added.push(id);
      id = this.#session.node(id)?.parentId ?? null;
    }
    if (id === null || id !== this.#branch.leafId) {
      this.#branch = { leafId, ids: new Set(this.#session.pathTo(leafId)) };
    } else {
      for (const fresh of added) this.#branch.ids.add(fresh);
      this.#branch.leafId = leafId;
    }
    return this.#branch.ids;
  }

  async #build(): Promise<void> {
    await this.#session.ready();
    if (this.#session.size() < this.#seen) {
      this.#index = new WordIndex();
      this.#ids = [];
      this.#seen = 0;
      this.#branch = { leafId: null, ids: new Set() };
    }
    const fresh: string[] = [];
    let number = 0;
    for (const id of this.#session.allIds()) if (number++ >= this.#seen && this.#maySpeak(id)) fresh.push(id);
    this.#seen = number;
    for (let from = 0; from < fresh.length; from += BATCH) {
      for (const entry of await this.#session.getEntries(fresh.slice(from, from + BATCH))) {
        const said = searchableText(entry);
        if (said !== undefined && said.text !== "") {
          this.#ids.push(entry.id);
          this.#index.add(ends(said.text));
        }
        if (isTurnOver()) await giveWay();
      }
    }
  }

  #maySpeak(id: string): boolean {
    const type = this.#session.node(id)?.type;
    return type === "message" || type === "custom_message" || type === "branch_summary";
  }
}

function ends(text: string): string {
  if (text.length <= MAX_INDEXED) return text;
  return `${text.slice(0, MAX_INDEXED * 0.75)}\n${text.slice(-MAX_INDEXED * 0.25)}`;
}

/** The passage that holds most of the words, and the share of the words that it holds. */
function bestExcerpt(text: string, terms: readonly string[]): { excerpt: string; share: number } {
  const folded = text.toLowerCase();
  const places: { at: number; term: number; weight: number }[] = [];
  const scale = folded.length === text.length ? 1 : text.length / folded.length;
  for (const [term, word] of terms.entries()) {
    // The beginning of a word finds its other endings: retry, retries.
    const beginning = word.length > 4 ? [{ text: word.slice(0, Math.max(4, word.length - 2)), weight: 0.4 }] : [];
    for (const { text: form, weight } of [...formsOf(word), ...beginning]) {
      let found = 0;
      for (let at = folded.indexOf(form); at >= 0 && found < 200; at = folded.indexOf(form, at + form.length)) {
        places.push({ at, term, weight });
        found++;
      }
    }
  }
  if (places.length === 0) return { excerpt: "", share: 0 };
  places.sort((a, b) => a.at - b.at);
  let best = { worth: 0, from: 0, to: 0 };
  let first = 0;
  const inside = new Map<number, number[]>();
  for (const place of places) {
    const weights = inside.get(place.term) ?? [];
    weights.push(place.weight);
    inside.set(place.term, weights);
    while (place.at - places[first]!.at > EXCERPT - 60) {
      inside.get(places[first]!.term)!.shift();
      first++;
    }
    let worth = 0;
    for (const held of inside.values()) worth += held.reduce((most, weight) => Math.max(most, weight), 0);
    if (worth > best.worth) best = { worth, from: places[first]!.at, to: place.at };
  }
  const middle = Math.floor(((best.from + best.to) / 2) * scale);
  const from = Math.max(0, middle - EXCERPT / 2);
  const to = Math.min(text.length, from + EXCERPT);
  const excerpt = `${from > 0 ? "…" : ""}${text.slice(from, to).toWellFormed().trim()}${to < text.length ? "…" : ""}`;
  return { excerpt, share: best.worth / terms.length };
}
