// Makes text from models and programs fit to show: no control bytes, and nothing invisible where it is approved.

const ESC = String.fromCharCode(0x1b);
const BELL = String.fromCharCode(0x07);
// OSC and other strings up to their end, CSI sequences, and two-character escapes.
const ESCAPES = new RegExp(
  `${ESC}(?:\\][^${BELL}${ESC}]*(?:${BELL}|${ESC}\\\\|$)|\\[[0-?]*[ -/]*[@-~]|[PX^_][^${ESC}]*(?:${ESC}\\\\|$)|.)`,
  "gs",
);
const CONTROLS = /\r(?=\n)|[^\P{Cc}\t\n\r]/gu;
const ANY = /[^\P{Cc}\t\n]/u;

/** Without terminal escapes and control bytes but tab and newline (security §1.D); a lone return becomes a newline. */
export function cleanText(text: string): string {
  if (!ANY.test(text)) return text;
  return text.replace(ESCAPES, "").replace(CONTROLS, "").replaceAll("\r", "\n");
}

export interface TextPiece {
  text: string;
  /** `plain` ASCII, `foreign` visible but not ASCII, `hidden` a code point by its number. */
  kind: "plain" | "foreign" | "hidden";
}

const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{M}]|\u115f|\u1160|\u2800|\u3164|\uffa0/u;
const SPACE = /\p{Zs}/u;

/**
 * A command or path cut into what is plain, what is not ASCII and what could not be seen at all, the last named by code
 * point, so that an approval shows every character (security §1.C).
 */
export function revealText(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  for (const character of text) {
    const kind = kindOf(character);
    const shown = kind === "hidden" ? codePointName(character) : character;
    const last = pieces.at(-1);
    if (last?.kind === kind && kind !== "hidden") last.text += shown;
    else pieces.push({ text: shown, kind });
  }
  return pieces;
}

function kindOf(character: string): TextPiece["kind"] {
  if (character === "\n" || character === "\t") return "plain";
  const code = character.codePointAt(0)!;
  if (code >= 0x20 && code < 0x7f) return "plain";
  return HIDDEN.test(character) || SPACE.test(character) ? "hidden" : "foreign";
}

function codePointName(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}
