// What the loopback model server answers: neutral replies, faults, and the default rule-based assistant.

export type ServerApi = "anthropic-messages" | "openai-responses" | "openai-completions" | "ollama-chat";

export interface ServerCall {
  id: string;
  name: string;
  arguments: unknown;
}

export interface ServerMessage {
  role: "user" | "assistant" | "tool";
  text: string;
  calls: ServerCall[];
  /** Of a tool result. */
  toolCallId?: string;
}

/** A request without the differences of the wires. */
export interface ServerRequest {
  api: ServerApi;
  /** Counts from 0 over all requests that asked for a reply. */
  index: number;
  model: string;
  system: string;
  tools: string[];
  messages: ServerMessage[];
  body: Record<string, unknown>;
  headers: Record<string, string>;
}

export type ReplyPart =
  | { text: string }
  | { thinking: string; signature?: string }
  | { redacted: string }
  | { call: { id?: string; name: string; arguments?: unknown; rawArguments?: string } };

export interface ReportedUsage {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
}

export type Fault =
  | { kind: "refuse" }
  | { kind: "noHeaders" }
  | { kind: "stallAt" | "destroyAt" | "endAt"; byte: number }
  | { kind: "oneByteChunks" | "crlf" | "badFrame" | "unknownEvents" | "errorEvent" | "commentsAndPings" }
  | { kind: "pingsOnly"; everyMs?: number }
  | { kind: "json" | "html" | "noTerminal" }
  | { kind: "slow"; everyMs: number }
  | { kind: "huge"; bytes: number };

export interface Reply {
  parts?: ReplyPart[];
  stop?: "stop" | "length" | "toolUse" | "refusal" | string;
  /** Replaces the computed usage; `null` reports none. */
  usage?: ReportedUsage | null;
  /** An error instead of a stream. */
  error?: { status: number; body?: unknown; headers?: Record<string, string> };
  fault?: Fault;
}

export type Script = readonly Reply[] | ((request: ServerRequest) => Reply);

/** True for requests of the summariser: text to condense and no tools. */
export function isSummaryRequest(request: ServerRequest): boolean {
  const last = request.messages.at(-1)?.text ?? "";
  return (
    request.tools.length === 0 &&
    (/summar/i.test(request.system) || /<conversation>|## Goal/i.test(last) || /^\[User\]:/m.test(last))
  );
}

const SUMMARY = `## Goal
Work on the sample project.

## Constraints & Preferences
- (none stated)

## Progress
### Done
- [x] The conversation so far

### In Progress
- [ ] The current request

### Blocked
- (none)

## Key Decisions
- **Scripted**: this summary was written by a script.

## Next Steps
1. Go on.

## Critical Context
- (none)`;

/** The default assistant: reads, edits and runs what the last user text names; after results it answers. */
export function defaultScript(request: ServerRequest): Reply {
  if (isSummaryRequest(request)) return { parts: [{ text: SUMMARY }] };
  const last = request.messages.at(-1);
  if (last?.role === "tool") {
    return { parts: [{ text: `The tool answered with ${last.text.length} characters. Done.` }] };
  }
  const asked = request.messages.findLast(({ role }) => role === "user")?.text ?? "";
  const file = /[\w./-]+\.\w+/.exec(asked)?.[0] ?? "src/greeting.ts";
  const wants = (word: RegExp, tool: string) => word.test(asked) && request.tools.includes(tool);
  if (wants(/\bedit|change\b/i, "edit")) {
    const edits = [{ oldText: "Hello", newText: "Hello there" }];
    return { parts: [{ text: `I will edit ${file}.` }, { call: { name: "edit", arguments: { path: file, edits } } }] };
  }
  if (wants(/\bread|show\b/i, "read")) {
    return { parts: [{ text: `I will read ${file}.` }, { call: { name: "read", arguments: { path: file } } }] };
  }
  const command = /\brun `([^`]+)`/i.exec(asked)?.[1] ?? (/\brun\b/i.test(asked) ? "echo scripted" : undefined);
  if (command !== undefined && request.tools.includes("bash")) {
    return { parts: [{ call: { name: "bash", arguments: { command } } }] };
  }
  return { parts: [{ text: `Scripted answer ${request.index + 1} to: ${asked.slice(0, 200)}` }] };
}

export function replyTo(script: Script, request: ServerRequest): Reply {
  if (typeof script === "function") return script(request);
  return script[Math.min(request.index, script.length - 1)] ?? defaultScript(request);
}
