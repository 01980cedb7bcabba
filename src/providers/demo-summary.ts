// The demo's summaries: extracted by rule from the serialized conversation, in the structure that was asked for.
import { contentText } from "../core/llm/messages.ts";
import type { LlmContext } from "../core/llm/stream.ts";

/** True for a request of the summariser: no tools, and a conversation to condense. */
export function isSummaryRequest(context: LlmContext): boolean {
  if (context.tools.length > 0) return false;
  const prompt = contentText(context.messages.at(-1)?.content ?? "");
  return /summar/i.test(context.systemPrompt) || /<conversation>/i.test(prompt) || /^\[User\]:/m.test(prompt);
}

interface Facts {
  requests: string[];
  /** Calls that did what they were to do, in words. */
  done: string[];
  replies: string[];
  /** Calls that did not, with the reason. */
  failures: string[];
  /** The last thing in the conversation is a reply: nothing is being worked on. */
  answered: boolean;
}

const NONE = "- (none)";
const LINE = 160;

/**
 * A summary under the headings that the prompt names, else under the seeds' own. Everything in it is quoted or counted
 * from the conversation; an earlier summary's points are carried on.
 */
export function demoSummary(context: LlmContext): string {
  const prompt = contentText(context.messages.at(-1)?.content ?? "");
  const conversation = tagged(prompt, "conversation") ?? prompt;
  const previous = tagged(prompt, "previous[-_]summary") ?? "";
  const instructions = prompt.replace(conversation, "").replace(previous, "");
  const facts = factsOf(conversation);
  const focus = /(?:additional focus|focus(?: on)?|additional instructions?)\s*:\s*(.+)/i.exec(instructions)?.[1];
  const sections = sectionsOf(facts, previous, focus);
  const wanted = [...instructions.matchAll(/^##\s+(.+?)\s*$/gm)].map(([, heading]) => heading ?? "");
  const headings = wanted.length > 0 ? [...new Set(wanted)] : [...sections.keys()];
  return headings.map((heading) => `## ${heading}\n${sections.get(heading) ?? fallback(heading, facts)}`).join("\n\n");
}

function tagged(text: string, tag: string): string | undefined {
  return new RegExp(`<(${tag})>\\n?([\\s\\S]*?)\\n?</\\1>`, "i").exec(text)?.[2];
}

function factsOf(conversation: string): Facts {
  const facts: Facts = { requests: [], done: [], replies: [], failures: [], answered: false };
  let waiting: string[] = [];
  const parts = conversation.split(/^\[(User|Assistant thinking|Assistant tool calls|Assistant|Tool result)\]:\s?/m);
  for (let i = 1; i < parts.length; i += 2) {
    const text = (parts[i + 1] ?? "").trim();
    if (text === "") continue;
    facts.answered = parts[i] === "Assistant";
    switch (parts[i]) {
      case "User":
        facts.requests.push(oneLine(text));
        break;
      case "Assistant":
        facts.replies.push(oneLine(text));
        break;
      case "Assistant tool calls":
        for (const [, name, args] of text.matchAll(/(\w+)\(([\s\S]*?)\)(?=;|\s*$)/g)) {
          waiting.push(inWords(name ?? "", args ?? ""));
        }
        break;
      case "Tool result": {
        const call = waiting.shift();
        if (FAILED.test(text)) facts.failures.push(oneLine(call === undefined ? text : `${call}: ${text}`));
        else if (call !== undefined) facts.done.push(call);
        break;
      }
    }
    // A result without text leaves none here: its call is over when something else is said.
    if (parts[i] === "User" || parts[i] === "Assistant") {
      facts.done.push(...waiting);
      waiting = [];
    }
  }
  return facts;
}

const FAILED =
  /^(error|failed|denied|not found|command exited|no such file|the user denied|the call was aborted|this was not approved|the file or command changed)/i;

/** A call by its tool and what that was called with, as the chat names it. */
function inWords(name: string, args: string): string {
  const value = /\b(?:path|command|pattern|query)=("(?:[^"\\]|\\.)*")/.exec(args)?.[1];
  if (value === undefined) return oneLine(`${name} ${args}`, 80).trim();
  return oneLine(`${name} ${JSON.parse(value) as string}`, 80);
}

function sectionsOf(facts: Facts, previous: string, focus: string | undefined): Map<string, string> {
  const older = (heading: string) => bullets(previous, heading);
  const done = facts.done.slice(-12).map((call) => `- [x] ${call}`);
  const asked = facts.requests.at(-1) ?? older("In Progress")[0]?.replace(/^- \[ \] /, "");
  const last = facts.answered ? undefined : asked;
  const constraints = focus === undefined ? [] : [`- Focus asked for: ${oneLine(focus)}`];
  return new Map([
    ["Goal", goalOf(previous) ?? facts.requests[0] ?? "(no request stands in this part)"],
    ["Constraints & Preferences", lines([...older("Constraints & Preferences"), ...constraints])],
    [
      "Progress",
      [
        `### Done\n${lines([...older("Done"), ...done].slice(-20))}`,
        `### In Progress\n${last === undefined ? NONE : `- [ ] ${last}`}`,
        `### Blocked\n${lines(facts.failures.slice(-3).map((text) => `- ${text}`))}`,
      ].join("\n\n"),
    ],
    ["Key Decisions", lines(older("Key Decisions"))],
    ["Next Steps", last === undefined ? "1. Wait for the next request" : `1. Go on with: ${last}`],
    [
      "Critical Context",
      lines(
        [
          ...older("Critical Context").filter((text) => !text.includes("scripted demo")),
          ...facts.requests.slice(-6).map((text) => `- Asked: ${text}`),
          "- This summary was extracted by the scripted demo, not written by an AI",
        ].slice(-14),
      ),
    ],
  ]);
}

/** Headings that are not the seeds' own, such as those of a split turn's first part. */
function fallback(heading: string, facts: Facts): string {
  if (/request|goal/i.test(heading)) return facts.requests[0] ?? "(no request stands in this part)";
  if (/progress|done|work/i.test(heading)) return lines(facts.done.slice(-12).map((call) => `- ${call}`));
  return lines(facts.replies.slice(-4).map((text) => `- Said: ${text}`));
}

function goalOf(previous: string): string | undefined {
  const text = /^##\s+Goal\s*\n([^\n#][^\n]*)/m.exec(previous)?.[1]?.trim();
  return text === undefined || text === "" ? undefined : text;
}

/** The points under a heading of an earlier summary. */
function bullets(summary: string, heading: string): string[] {
  const escaped = heading.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const body = new RegExp(`^##+\\s+${escaped}\\s*\\n([\\s\\S]*?)(?=^##|$(?![\\s\\S]))`, "m").exec(summary)?.[1] ?? "";
  return body.split("\n").filter((line) => line.startsWith("- ") && !/^- \(none\)/.test(line));
}

function lines(list: readonly string[]): string {
  return list.length === 0 ? NONE : [...new Set(list)].join("\n");
}

function oneLine(text: string, limit = LINE): string {
  const flat = text.replace(/\s+/g, " ").trim();
  return flat.length <= limit ? flat : `${flat.slice(0, limit).toWellFormed()}…`;
}
