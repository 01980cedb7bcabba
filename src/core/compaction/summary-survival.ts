// What a summary must not lose: checked by exact text, and put back verbatim where it is missing (issue: long life).
import { type AgentMessage, contentText } from "../llm/messages.ts";
import { escapeStructure } from "./serialize-conversation.ts";

const REQUEST_MARK = "- Last summarised request, verbatim:";
const PIN_MARK = "- Pinned, verbatim:";
const CONSTRAINTS = "## Constraints & Preferences";
const CRITICAL = "## Critical Context";
/** A longer request is kept to this many characters; the whole is in the session and can be recalled. */
const REQUEST_LIMIT = 4000;

function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `  > ${line}`)
    .join("\n");
}

/** Removes what an earlier check put in, so that it never piles up from summary to summary. */
export function stripVerbatim(summary: string): string {
  const lines = summary.split("\n");
  const kept: string[] = [];
  let inside = false;
  for (const line of lines) {
    if (line.startsWith(REQUEST_MARK) || line.startsWith(PIN_MARK)) inside = true;
    else if (inside && line.startsWith("  >")) continue;
    else {
      inside = false;
      kept.push(line);
    }
  }
  return kept.join("\n");
}

/** The bullets of the constraints section, without empty ones and "(none)". */
export function constraintsOf(summary: string): string[] {
  const start = summary.indexOf(CONSTRAINTS);
  if (start < 0) return [];
  const body = summary.slice(start + CONSTRAINTS.length);
  const end = body.search(/^#{1,6} |^---$/m);
  return (end < 0 ? body : body.slice(0, end))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("- ") && !/^- \(?(none|n\/a)\)?\.?$/i.test(line));
}

/** The last request of the person among messages, or undefined. */
export function lastUserRequest(messages: readonly AgentMessage[]): string | undefined {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]!;
    if (message.role !== "user") continue;
    const text = contentText(message.content).trim();
    if (text !== "") return text;
  }
  return undefined;
}

function insertUnder(summary: string, heading: string, addition: string): string {
  const start = summary.indexOf(heading);
  if (start < 0) return `${summary.trimEnd()}\n\n${heading}\n${addition}`;
  const bodyStart = start + heading.length;
  const rest = summary.slice(bodyStart);
  const end = rest.search(/^#{1,6} |^---$/m);
  const body = end < 0 ? rest : rest.slice(0, end);
  const tail = end < 0 ? "" : rest.slice(end);
  return `${summary.slice(0, bodyStart)}${body.trimEnd()}\n${addition}\n${tail === "" ? "" : `\n${tail}`}`;
}

export interface Survivors {
  lastRequest?: string | undefined;
  previousSummary?: string | undefined;
  /** Text of pinned entries that are no longer verbatim in the context. */
  pinned?: readonly string[] | undefined;
}

/** The summary with everything in it that must survive. Running it twice changes nothing. */
export function ensureSurvival(summary: string, survivors: Survivors): string {
  let text = stripVerbatim(summary);
  const missing = constraintsOf(survivors.previousSummary ?? "").filter((bullet) => !text.includes(bullet));
  if (missing.length > 0) text = insertUnder(text, CONSTRAINTS, missing.join("\n"));
  const request = survivors.lastRequest;
  if (request !== undefined && !text.includes(request)) {
    const head = request.length <= REQUEST_LIMIT ? request : `${request.slice(0, REQUEST_LIMIT).toWellFormed()} […]`;
    text = insertUnder(text, CRITICAL, `${REQUEST_MARK}\n${quote(escapeStructure(head))}`);
  }
  for (const pin of survivors.pinned ?? []) {
    text = insertUnder(text, CRITICAL, `${PIN_MARK}\n${quote(escapeStructure(pin))}`);
  }
  return text.trim();
}
