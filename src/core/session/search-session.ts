// Finds a text in every branch of a session, a batch of entries at a time.
import { contentText } from "../llm/messages.ts";
import type { SessionEntry } from "./entries.ts";
import type { Session } from "./session.ts";

export interface SearchHit {
  entryId: string;
  /** The place of the text with some words around it, in one line. */
  snippet: string;
}

/** Entries that are read at a time. */
const BATCH = 200;
const AROUND = 60;

function textsOf(entry: SessionEntry): string {
  switch (entry.type) {
    case "message": {
      const { message } = entry;
      if (message.role === "bashExecution") return `${message.command}\n${message.output}`;
      return "content" in message ? contentText(message.content as string | { type: string; text?: string }[]) : "";
    }
    case "custom_message":
      return contentText(entry.content);
    case "compaction":
    case "branch_summary":
      return entry.summary;
    default:
      return "";
  }
}

/** Whole words around a place, in one line. */
export function snippetAt(text: string, at: number, length: number): string {
  const from = Math.max(0, at - AROUND);
  const to = Math.min(text.length, at + length + AROUND);
  const cut = text.slice(from, to).toWellFormed().replace(/\s+/g, " ").trim();
  return `${from > 0 ? "…" : ""}${cut}${to < text.length ? "…" : ""}`;
}

/**
 * Yields the entries that hold the text, whatever the case, newest first; labels count as text. Needs nothing loaded; ends
 * early without an error when the signal is aborted.
 */
export async function* searchSession(session: Session, text: string, signal: AbortSignal): AsyncGenerator<SearchHit> {
  const needle = text.trim().toLowerCase();
  if (needle === "") return;
  await session.ready();
  const ids = [...session.allIds()].filter((id) => {
    const node = session.node(id);
    return node !== undefined && node.marker !== true && SEARCHED.has(node.type);
  });
  for (let end = ids.length; end > 0 && !signal.aborted; end -= BATCH) {
    const entries = await session.getEntries(ids.slice(Math.max(0, end - BATCH), end));
    for (const entry of entries.reverse()) {
      if (signal.aborted) return;
      const label = session.getLabel(entry.id);
      if (label?.toLowerCase().includes(needle) === true) {
        yield { entryId: entry.id, snippet: label };
        continue;
      }
      const body = textsOf(entry);
      const at = body.toLowerCase().indexOf(needle);
      if (at >= 0) yield { entryId: entry.id, snippet: snippetAt(body, at, needle.length) };
    }
  }
}

const SEARCHED = new Set(["message", "custom_message", "compaction", "branch_summary"]);
