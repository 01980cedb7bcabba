// A conversation as text for the summariser, so that it is read and not continued (compaction page, behaviours §5).
import { contentText, type Message } from "../llm/messages.ts";

const TOOL_RESULT_LIMIT = 2000;

/** What is not seen, or seen as a space: between the letters of a marker it hides the marker from us, not from a model. */
const BLANK = String.raw`[\s\p{Cf}]*`;
const ROLE_MARKER = new RegExp(
  `^(${BLANK})\\[(${BLANK}(?:User|Assistant|Assistant${BLANK}thinking|Assistant${BLANK}tool${BLANK}calls|Tool${BLANK}result)${BLANK})\\](?=${BLANK}:)`,
  "gimu",
);
const STRUCTURE_TAG = new RegExp(
  `<(${BLANK}/?${BLANK}(?:conversation|previous-summary|summary|read-files|modified-files|pinned|instructions)\\b)`,
  "giu",
);

/**
 * Text that cannot pass for structure: role markers at the start of a line and the tags of the summary request are
 * escaped, so that a tool result or a file name cannot speak as the user (security §1.E 47).
 */
export function escapeStructure(text: string): string {
  return text.replace(ROLE_MARKER, "$1\\[$2]").replace(STRUCTURE_TAG, "<\\$1");
}

/** Cuts at a number of UTF-16 units without splitting a surrogate pair, and says how much is missing. */
export function truncateForSummary(text: string, limit = TOOL_RESULT_LIMIT): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
  return `${text.slice(0, end)}\n\n[... ${text.length - end} more characters truncated]`;
}

function callText(name: string, args: Record<string, unknown>): string {
  const pairs = Object.entries(args ?? {}).map(([key, value]) => `${key}=${JSON.stringify(value) ?? "null"}`);
  return `${name}(${pairs.join(", ")})`;
}

/**
 * One paragraph a message part: `[User]:`, `[Assistant]:`, `[Assistant tool calls]:`, `[Tool result]:`, separated by
 * blank lines. Thinking is left out (behaviours §9.15); tool results are cut at 2000 characters.
 */
export function serializeConversation(messages: readonly Message[]): string {
  const parts: string[] = [];
  for (const message of messages) {
    if (message.role === "user") {
      const text = contentText(message.content);
      if (text !== "") parts.push(`[User]: ${escapeStructure(text)}`);
    } else if (message.role === "assistant") {
      const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
      const calls = message.content.flatMap((part) =>
        part.type === "toolCall" ? [callText(part.name, part.arguments)] : [],
      );
      if (text.trim() !== "") parts.push(`[Assistant]: ${escapeStructure(text)}`);
      if (calls.length > 0) parts.push(`[Assistant tool calls]: ${escapeStructure(calls.join("; "))}`);
    } else {
      const text = contentText(message.content);
      if (text !== "") parts.push(`[Tool result]: ${escapeStructure(truncateForSummary(text))}`);
    }
  }
  return parts.join("\n\n");
}
