// What a row of the tree says of its entry (pure: no editor in here).
import { calculateContextTokens } from "../core/compaction/token-estimation.ts";
import { entryText } from "../core/harness/session-memory.ts";
import { isCutOff } from "../core/llm/cut-off.ts";
import { type AssistantMessage, contentText, toolCallsOf, type Usage } from "../core/llm/messages.ts";
import type { SessionEntry } from "../core/session/entries.ts";
import { cleanName } from "../core/session/session-name.ts";
import { tellingWords, titleLine } from "./telling-words.ts";
import { toolTitle } from "./transcript-items.ts";

export type RowKind =
  | "user"
  | "reply"
  | "tools"
  | "result"
  | "shell"
  | "compaction"
  | "branchSummary"
  | "note"
  | "setting";

export interface RowContent {
  kind: RowKind;
  /** First words of the text that say something; for tools, what they were called with. */
  title: string;
  /** Names of the tools that a reply called. */
  tools: string[];
  /** How a reply ended where that was not well. */
  failure?: "failed" | "stopped" | "cutOff";
  /** A reply that failed before it said anything: those that follow each other are attempts at one, and share a row. */
  attempt?: true;
  /** Epoch ms; 0 where the file does not tell. */
  timeMs: number;
  /** Tokens of the request that a reply answered, and of the reply. */
  tokens?: { context: number; output: number; estimated: boolean };
  /** US dollars; absent where no price is known. */
  costUsd?: number;
  /** Tokens of the context that a compaction replaced. */
  tokensBefore?: number;
}

const MAX_TOOLS = 3;

/** Several calls in one line: what each was called with, or how often each. */
export function toolsTitle(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(", ");
}

function spent(usage: Usage | undefined): Pick<RowContent, "tokens" | "costUsd"> {
  if (usage === undefined) return {};
  const total = calculateContextTokens(usage);
  if (!(total > 0)) return {};
  return {
    tokens: { context: total, output: usage.output, estimated: usage.estimated === true },
    ...(usage.unpriced === true || !(usage.cost?.total > 0) ? {} : { costUsd: usage.cost.total }),
  };
}

/** The content of a row; every entry has one. */
export function rowContent(entry: SessionEntry): RowContent {
  const base = { tools: [], timeMs: Date.parse(entry.timestamp) || 0 };
  switch (entry.type) {
    case "message":
      return messageRow(entry, base);
    case "compaction":
      return {
        ...base,
        kind: "compaction",
        title: tellingWords(entry.summary, false),
        tokensBefore: entry.tokensBefore,
        ...costOf(entry.usage),
      };
    case "branch_summary":
      return { ...base, kind: "branchSummary", title: tellingWords(entry.summary, false), ...costOf(entry.usage) };
    case "custom_message":
      return { ...base, kind: "note", title: titleLine(contentText(entry.content)) || entry.customType };
    default:
      return { ...base, kind: "setting", title: settingTitle(entry) };
  }
}

/** A summary's own price, without calling its tokens the size of the context. */
function costOf(usage: Usage | undefined): Pick<RowContent, "costUsd"> {
  const { costUsd } = spent(usage);
  return costUsd === undefined ? {} : { costUsd };
}

type Base = Pick<RowContent, "tools" | "timeMs">;

function messageRow(entry: Extract<SessionEntry, { type: "message" }>, base: Base): RowContent {
  const { message } = entry;
  switch (message.role) {
    case "user":
      return { ...base, kind: "user", title: titleLine(contentText(message.content)) };
    case "assistant": {
      const calls = toolCallsOf(message);
      const text = contentText(message.content as { type: string; text?: string }[]);
      const title = tellingWords(text);
      const failure = failureOf(message);
      const onlyTools = title === "" && calls.length > 0;
      const named = calls
        .slice(0, MAX_TOOLS)
        .map((call) => titleLine(`${call.name} ${toolTitle(call.name, call.arguments)}`));
      return {
        ...base,
        kind: onlyTools ? "tools" : "reply",
        title: onlyTools
          ? named.join(", ") + (calls.length > MAX_TOOLS ? " …" : "")
          : title || titleLine(message.errorMessage ?? ""),
        tools: calls.map((call) => call.name),
        ...(failure === undefined ? {} : { failure }),
        ...(failure === "failed" && text.trim() === "" && calls.length === 0 ? { attempt: true as const } : {}),
        ...spent(message.usage),
      };
    }
    case "toolResult":
      return {
        ...base,
        kind: "result",
        title: `${message.toolName}: ${titleLine(contentText(message.content))}`,
        ...(message.isError ? { failure: "failed" as const } : {}),
      };
    case "bashExecution":
      return { ...base, kind: "shell", title: titleLine(`$ ${message.command}`) };
    default:
      return { ...base, kind: "note", title: titleLine(entryText(entry)) || message.role };
  }
}

function failureOf(message: AssistantMessage): RowContent["failure"] {
  if (message.stopReason === "error") return "failed";
  if (message.stopReason !== "aborted") return undefined;
  return isCutOff(message) ? "cutOff" : "stopped";
}

function settingTitle(entry: SessionEntry): string {
  switch (entry.type) {
    case "thinking_level_change":
      return `thinking: ${entry.thinkingLevel}`;
    case "model_change":
      return `model: ${entry.provider}/${entry.modelId}`;
    case "active_tools_change":
      return `tools: ${entry.activeToolNames.join(", ")}`;
    case "label":
      return `label: ${cleanName(entry.label ?? "") || "–"}`;
    case "session_info":
      return `name: ${cleanName(entry.name ?? "") || "–"}`;
    case "context_edit":
      return entry.replacement === null ? "left out of the context" : "changed in the context";
    case "custom":
      return entry.customType;
    case "unknown":
      return entry.originalType;
    default:
      return entry.type;
  }
}
