// The messages of a conversation: what a provider understands, and what the agent adds to it.

export interface TextContent {
  type: "text";
  text: string;
  /** Opaque provider data to replay with the text (OpenAI Responses item id and phase). */
  textSignature?: string;
}

export interface ImageContent {
  type: "image";
  /** Base64 without a data-URL prefix. */
  data: string;
  mimeType: string;
}

export interface ThinkingContent {
  type: "thinking";
  thinking: string;
  /** Opaque provider data that proves the thinking; replayed byte for byte or not at all. */
  thinkingSignature?: string;
  /** True where the provider hid the text; the payload is then in `thinkingSignature`. */
  redacted?: boolean;
}

export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  /** Why the model's argument text was not a JSON object, quoting it; `arguments` is then `{}` and the call must not run. */
  argumentsError?: string;
  thoughtSignature?: string;
}

/** Token counts of one request; `input` excludes what was read from or written to the cache. Costs in US dollars. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Part of `output` spent on thinking, where reported. */
  reasoning?: number;
  totalTokens: number;
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
  /** True where the provider reported nothing and the counts are estimates (a key of Coppice). */
  estimated?: boolean;
  /** True where no price is known, so that `cost` must be shown as unknown (a key of Coppice). */
  unpriced?: boolean;
}

export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

export interface UserMessage {
  role: "user";
  content: string | (TextContent | ImageContent)[];
  /** Epoch milliseconds. */
  timestamp: number;
}

export interface AssistantMessage {
  role: "assistant";
  content: (TextContent | ThinkingContent | ToolCall)[];
  api: string;
  provider: string;
  model: string;
  usage: Usage;
  stopReason: StopReason;
  errorMessage?: string;
  /** Thinking level that was asked for. */
  thinkingLevel?: string;
  /** Hash of model, system prompt, tools and converted messages that the reply was produced under (a key of Coppice). */
  prefixHash?: string;
  timestamp: number;
}

export interface ToolResultMessage {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  /** For the screen and for hooks; never sent. */
  details?: unknown;
  /** What the tool itself spent on models; counts in the totals. */
  usage?: Usage;
  isError: boolean;
  timestamp: number;
}

/** What a provider adapter is given. */
export type Message = UserMessage | AssistantMessage | ToolResultMessage;

export interface BashExecutionMessage {
  role: "bashExecution";
  command: string;
  output: string;
  exitCode: number | undefined;
  cancelled: boolean;
  truncated: boolean;
  fullOutputPath?: string;
  excludeFromContext?: boolean;
  timestamp: number;
}

export interface CustomMessage {
  role: "custom";
  customType: string;
  content: string | (TextContent | ImageContent)[];
  display: boolean;
  details?: unknown;
  timestamp: number;
}

export interface BranchSummaryMessage {
  role: "branchSummary";
  summary: string;
  fromId: string;
  timestamp: number;
}

export interface CompactionSummaryMessage {
  role: "compactionSummary";
  summary: string;
  tokensBefore: number;
  timestamp: number;
}

/** Everything that can stand in the agent's transcript. */
export type AgentMessage =
  | Message
  | BashExecutionMessage
  | CustomMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage;

/** A usage of nothing. */
export function emptyUsage(): Usage {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

/** The text parts of a content, joined; images count for nothing. */
export function contentText(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
}

export function toolCallsOf(message: AssistantMessage): ToolCall[] {
  return message.content.filter((part): part is ToolCall => part.type === "toolCall");
}

const COMPACTION_INTRO = "Earlier parts of this conversation were replaced by the following summary:";
const BRANCH_INTRO = "Work on another branch of this conversation, left behind, is summarised here:";

function summaryText(intro: string, summary: string): string {
  return `${intro}\n\n<summary>\n${summary}\n</summary>`;
}

/** Text that a shell execution by the person contributes to the context. */
export function bashExecutionToText(message: BashExecutionMessage): string {
  const lines = [`The user ran \`${message.command}\``];
  lines.push(message.output === "" ? "(no output)" : `\`\`\`\n${message.output}\n\`\`\``);
  if (message.cancelled) lines.push("(the command was cancelled)");
  else if (message.exitCode !== undefined && message.exitCode !== 0) lines.push(`Exit code: ${message.exitCode}`);
  if (message.truncated && message.fullOutputPath !== undefined) {
    lines.push(`(output cut; all of it is in ${message.fullOutputPath})`);
  }
  return lines.join("\n");
}

/**
 * Turns the transcript into what a provider understands (seed 1 §2): user, assistant and tool-result messages pass;
 * summaries, custom messages and shell executions become user messages; unknown roles are left out.
 */
export function convertToLlm(messages: readonly AgentMessage[]): Message[] {
  const out: Message[] = [];
  for (const message of messages) {
    switch (message.role) {
      case "user":
      case "assistant":
      case "toolResult":
        out.push(message);
        break;
      case "compactionSummary":
        out.push({
          role: "user",
          content: summaryText(COMPACTION_INTRO, message.summary),
          timestamp: message.timestamp,
        });
        break;
      case "branchSummary":
        out.push({ role: "user", content: summaryText(BRANCH_INTRO, message.summary), timestamp: message.timestamp });
        break;
      case "custom":
        out.push({ role: "user", content: message.content, timestamp: message.timestamp });
        break;
      case "bashExecution":
        if (message.excludeFromContext !== true) {
          out.push({ role: "user", content: bashExecutionToText(message), timestamp: message.timestamp });
        }
        break;
      default:
        break; // A role that a file or another extension brought along: never sent.
    }
  }
  return out;
}
