// An inverted index in typed arrays: which entry holds which words how often, and how well each answers a question.
import { formsOf, hashWord, wordsOf } from "./search-words.ts";

const BUCKET_BITS = 18;
/** A word in more entries than this share, once there are enough of them, tells nothing and is no longer kept. */
const COMMON_SHARE = 0.3;
const COMMON_AT_LEAST = 2000;
const MAX_WORDS_PER_ENTRY = 2000;
const COUNT_BITS = 6;
const MAX_COUNT = (1 << COUNT_BITS) - 1;
const BLOCK_BITS = 16;
const BLOCK = 1 << BLOCK_BITS;
const K1 = 1.2;
const B = 0.6;

/**
 * Words are known by a hash, so a few unrelated ones share a place: whoever ranks reads the text of the best and looks again.
 * Eight bytes for each different word of an entry.
 */
export class WordIndex {
  readonly #head = new Int32Array(1 << BUCKET_BITS).fill(-1);
  readonly #frequency = new Uint32Array(1 << BUCKET_BITS);
  /** Entry number and count (six bits), in blocks, so that growing copies nothing. */
  readonly #postings: Uint32Array[] = [];
  /** The posting of the same word before, or -1. */
  readonly #before: Int32Array[] = [];
  #used = 0;
  #lengths = new Uint32Array(1024);
  #size = 0;
  #totalLength = 0;
  /** Places of words that were met lately. */
  #known = new Map<string, number[]>();

  /** Entries that were added. */
  get size(): number {
    return this.#size;
  }
  /** Bytes held, for measuring. */
  get byteSize(): number {
    return (
      this.#head.byteLength + this.#frequency.byteLength + this.#postings.length * BLOCK * 8 + this.#lengths.byteLength
    );
  }

  /** Adds the next entry; returns its number. */
  add(text: string): number {
    const entry = this.#size++;
    if (entry === this.#lengths.length) this.#lengths = enlarged(this.#lengths);
    const words = wordsOf(text);
    let different = 0;
    for (const word of words) {
      for (const place of this.#places(word)) {
        // The newest posting of a word in this entry is the one to count up.
        const newest = this.#head[place]!;
        if (newest >= 0) {
          const block = this.#postings[newest >>> BLOCK_BITS]!;
          const posting = block[newest & (BLOCK - 1)]!;
          if (posting >>> COUNT_BITS === entry) {
            if ((posting & MAX_COUNT) < MAX_COUNT) block[newest & (BLOCK - 1)] = posting + 1;
            continue;
          }
        }
        if (different++ < MAX_WORDS_PER_ENTRY) this.#post(place, entry);
      }
    }
    this.#lengths[entry] = words.length;
    this.#totalLength += words.length;
    return entry;
  }

  #post(place: number, entry: number): void {
    const frequency = ++this.#frequency[place]!;
    if (frequency > COMMON_AT_LEAST && frequency > this.#size * COMMON_SHARE) {
      this.#head[place] = -1;
      return;
    }
    const at = this.#used++;
    if ((at & (BLOCK - 1)) === 0) {
      this.#postings.push(new Uint32Array(BLOCK));
      this.#before.push(new Int32Array(BLOCK));
    }
    this.#postings[at >>> BLOCK_BITS]![at & (BLOCK - 1)] = (entry << COUNT_BITS) | 1;
    this.#before[at >>> BLOCK_BITS]![at & (BLOCK - 1)] = this.#head[place]!;
    this.#head[place] = at;
  }

  /** Entry numbers with their scores (BM25), best first; `accepts` leaves entries out. */
  rank(query: string, limit: number, accepts: (entry: number) => boolean): { entry: number; score: number }[] {
    const weights = new Map<number, number>();
    for (const word of new Set(wordsOf(query))) {
      for (const { text, weight } of formsOf(word)) {
        const place = hashWord(text) >>> (32 - BUCKET_BITS);
        weights.set(place, Math.max(weight, weights.get(place) ?? 0));
      }
    }
    const scores = new Float32Array(this.#size);
    const met: number[] = [];
    const average = this.#totalLength / Math.max(1, this.#size) || 1;
    for (const [place, weight] of weights) {
      const frequency = this.#frequency[place]!;
      if (frequency === 0) continue;
      const rarity = Math.log(1 + (this.#size - frequency + 0.5) / (frequency + 0.5));
      for (let at = this.#head[place]!; at >= 0; at = this.#before[at >>> BLOCK_BITS]![at & (BLOCK - 1)]!) {
        const posting = this.#postings[at >>> BLOCK_BITS]![at & (BLOCK - 1)]!;
        const entry = posting >>> COUNT_BITS;
        const count = posting & MAX_COUNT;
        const share = count / (count + K1 * (1 - B + (B * this.#lengths[entry]!) / average));
        if (scores[entry] === 0) met.push(entry);
        scores[entry]! += weight * rarity * share * (K1 + 1);
      }
    }
    met.sort((a, b) => scores[b]! - scores[a]! || b - a);
    const best: { entry: number; score: number }[] = [];
    for (const entry of met) {
      if (!accepts(entry)) continue;
      best.push({ entry, score: scores[entry]! });
      if (best.length === limit) break;
    }
    return best;
  }

  #places(word: string): number[] {
    let places = this.#known.get(word);
    if (places === undefined) {
      places = formsOf(word).map(({ text }) => hashWord(text) >>> (32 - BUCKET_BITS));
      if (this.#known.size > 50_000) this.#known = new Map();
      this.#known.set(word, places);
    }
    return places;
  }
}

function enlarged(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
