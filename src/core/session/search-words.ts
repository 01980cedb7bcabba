// Words of a text as the search knows them: lower case, parts of identifiers, stems, pairs of CJK characters.

const WORD = /[\p{L}\p{N}_]+/gu;
/** The same where all is ASCII, several times as fast. */
const ASCII_WORD = /[A-Za-z0-9_]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything beyond ASCII is what is looked for
const BEYOND_ASCII = /[^\u0000-\u007f]/;
const CJK = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
const PART = /[\p{Lu}]+(?![\p{Ll}])|[\p{Lu}]?[\p{Ll}]+|\p{N}+|\p{Lo}+/gu;
const ENDING = /(?:ing|ed|es|s)$/;
/** Longer runs of letters are data, not words. */
const MAX_WORD = 64;

export interface SearchWord {
  text: string;
  /** 1 for a word itself; less for what it was taken apart into. */
  weight: number;
}

/** A word without its English ending: plans, planned and planning meet. */
function stemOf(word: string): string {
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.replace(ENDING, "");
}

/** A word in all forms under which it is found, itself first. */
export function formsOf(word: string): SearchWord[] {
  const lower = word.toLowerCase();
  const forms = new Map<string, number>([[lower, 1]]);
  const add = (text: string, weight: number) => {
    if (text.length > 1 && !forms.has(text)) forms.set(text, weight);
  };
  if (CJK.test(word)) {
    const characters = [...lower];
    for (let i = 0; i + 1 < characters.length; i++) add(characters[i]! + characters[i + 1]!, 0.7);
  } else {
    const parts = word.match(PART) ?? [];
    if (parts.length > 1) for (const part of parts) add(part.toLowerCase(), 0.6);
    for (const form of [...forms.keys()]) if (form.length > 4) add(stemOf(form), 0.5);
  }
  return [...forms].map(([text, weight]) => ({ text, weight }));
}

/** The words of a text in order, as written; repeated ones repeat. */
export function wordsOf(text: string): string[] {
  const words: string[] = text.match(BEYOND_ASCII.test(text) ? WORD : ASCII_WORD) ?? [];
  return words.some((word) => word.length > MAX_WORD) ? words.filter((word) => word.length <= MAX_WORD) : words;
}

/** FNV-1a of a word's UTF-16 units. */
export function hashWord(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
