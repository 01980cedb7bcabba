// Runs the tool calls of one reply: every call ends in exactly one result (behaviours §1 Tools, Abort).
import { toError } from "../errors.ts";
import type { AssistantMessage, ToolCall, ToolResultMessage } from "../llm/messages.ts";
import { toolCallsOf } from "../llm/messages.ts";
import type { AgentEvent } from "./agent-events.ts";
import type { AgentTool, AgentToolResult } from "./agent-tool.ts";

export interface BeforeToolCall {
  call: ToolCall;
  tool: AgentTool;
  /** Validated input; a handler may change it in place, and it is not validated again. */
  params: Record<string, unknown>;
}

export interface ToolHooks {
  /** Asked once a call; a throw blocks the call (it fails closed). */
  beforeToolCall?: (
    call: BeforeToolCall,
    signal: AbortSignal,
  ) => Promise<{ block?: boolean; reason?: string; terminate?: boolean } | undefined>;
  afterToolCall?: (
    call: BeforeToolCall,
    result: AgentToolResult,
    signal: AbortSignal,
  ) => Promise<Partial<AgentToolResult> | undefined>;
}

export interface ToolBatch {
  results: ToolResultMessage[];
  /** True where every result of the batch asks the run to end. */
  terminate: boolean;
}

const ABORTED = "The call was aborted before it finished.";
const CUT_BY_LENGTH =
  "The reply was cut off at the output limit, so this call was not run: its arguments may be incomplete. Issue the call again, in smaller steps if it was long.";

function text(message: string): AgentToolResult["content"] {
  return [{ type: "text", text: message }];
}

function failed(message: string, extra: Partial<AgentToolResult> = {}): AgentToolResult {
  return { content: text(message), isError: true, ...extra };
}

type Preflight =
  | { ok: true; tool: AgentTool; params: Record<string, unknown> }
  | { ok: false; result: AgentToolResult };

class BatchRunner {
  readonly #message: AssistantMessage;
  readonly #tools: readonly AgentTool[];
  readonly #hooks: ToolHooks;
  readonly #emit: (event: AgentEvent) => Promise<void>;
  readonly #signal: AbortSignal;
  readonly #now: () => number;

  constructor(
    message: AssistantMessage,
    tools: readonly AgentTool[],
    hooks: ToolHooks,
    emit: (event: AgentEvent) => Promise<void>,
    signal: AbortSignal,
    now: () => number,
  ) {
    this.#message = message;
    this.#tools = tools;
    this.#hooks = hooks;
    this.#emit = emit;
    this.#signal = signal;
    this.#now = now;
  }

  async run(): Promise<ToolBatch> {
    const calls = toolCallsOf(this.#message);
    const sequential = calls.some((call) => this.#tool(call)?.execution === "sequential");
    const outcomes: AgentToolResult[] = [];
    const results: ToolResultMessage[] = [];
    if (sequential) {
      for (const [index, call] of calls.entries()) {
        const start = await this.#preflight(call);
        outcomes[index] = await this.#finish(call, start);
        results.push(await this.#record(call, outcomes[index]));
      }
    } else {
      const running: Promise<void>[] = [];
      for (const [index, call] of calls.entries()) {
        const start = await this.#preflight(call);
        running.push(
          this.#finish(call, start).then((outcome) => {
            outcomes[index] = outcome;
          }),
        );
      }
      await Promise.all(running);
      for (const [index, call] of calls.entries()) results.push(await this.#record(call, outcomes[index]!));
    }
    return { results, terminate: calls.length > 0 && outcomes.every((outcome) => outcome.terminate === true) };
  }

  #tool(call: ToolCall): AgentTool | undefined {
    return this.#tools.find((tool) => tool.name === call.name);
  }

  async #preflight(call: ToolCall): Promise<Preflight> {
    await this.#emit({
      type: "tool_execution_start",
      toolCallId: call.id,
      toolName: call.name,
      args: call.arguments,
    });
    if (this.#message.stopReason === "length") return { ok: false, result: failed(CUT_BY_LENGTH) };
    if (this.#signal.aborted) return { ok: false, result: failed(ABORTED) };
    const tool = this.#tool(call);
    if (tool === undefined) {
      const names = this.#tools.map((known) => known.name).join(", ");
      return { ok: false, result: failed(`There is no tool named "${call.name}". Available tools: ${names}.`) };
    }
    if (call.argumentsError !== undefined) return { ok: false, result: failed(call.argumentsError) };
    try {
      const raw = tool.prepareArguments?.(call.arguments) ?? call.arguments;
      const parsed = tool.schema.safeParse(raw);
      if (!parsed.success) {
        const problems = parsed.error.issues.map(
          (issue) => `- ${issue.path.join(".") || "arguments"}: ${issue.message}`,
        );
        const shown = JSON.stringify(call.arguments).slice(0, 2000);
        return {
          ok: false,
          result: failed(`The arguments of "${call.name}" are not valid:\n${problems.join("\n")}\nReceived: ${shown}`),
        };
      }
      const params = parsed.data as Record<string, unknown>;
      const verdict = await this.#hooks.beforeToolCall?.({ call, tool, params }, this.#signal);
      if (this.#signal.aborted) return { ok: false, result: failed(ABORTED) };
      if (verdict?.block === true) {
        const extra = verdict.terminate === true ? { terminate: true } : {};
        return { ok: false, result: failed(verdict.reason ?? "The call was blocked.", extra) };
      }
      return { ok: true, tool, params };
    } catch (error) {
      return { ok: false, result: failed(`The call was blocked: ${toError(error).message}`) };
    }
  }

  async #finish(call: ToolCall, start: Preflight): Promise<AgentToolResult> {
    let result = start.ok ? await this.#execute(call, start) : start.result;
    if (start.ok && this.#hooks.afterToolCall !== undefined) {
      try {
        const changed = await this.#hooks.afterToolCall(
          { call, tool: start.tool, params: start.params },
          result,
          this.#signal,
        );
        if (changed !== undefined) result = { ...result, ...changed };
      } catch (error) {
        result = failed(`A hook failed on the result: ${toError(error).message}`);
      }
    }
    if (!Array.isArray(result.content)) result = { ...result, content: [] };
    await this.#emit({
      type: "tool_execution_end",
      toolCallId: call.id,
      toolName: call.name,
      result,
      isError: result.isError === true,
    });
    return result;
  }

  async #execute(call: ToolCall, { tool, params }: Extract<Preflight, { ok: true }>): Promise<AgentToolResult> {
    let settled = false;
    try {
      return await tool.execute({
        toolCallId: call.id,
        params,
        signal: this.#signal,
        onUpdate: (partialResult) => {
          if (settled) return;
          void this.#emit({ type: "tool_execution_update", toolCallId: call.id, toolName: call.name, partialResult });
        },
      });
    } catch (error) {
      return failed(this.#signal.aborted ? ABORTED : toError(error).message);
    } finally {
      settled = true;
    }
  }

  async #record(call: ToolCall, outcome: AgentToolResult): Promise<ToolResultMessage> {
    const message: ToolResultMessage = {
      role: "toolResult",
      toolCallId: call.id,
      toolName: call.name,
      content: outcome.content,
      isError: outcome.isError === true,
      timestamp: this.#now(),
    };
    if (outcome.details !== undefined) message.details = outcome.details;
    if (outcome.usage !== undefined) message.usage = outcome.usage;
    await this.#emit({ type: "message_start", message });
    await this.#emit({ type: "message_end", message });
    return message;
  }
}

/**
 * Executes the calls of a reply in source order of their start; concurrently unless one of the tools is sequential. Calls
 * that cannot run (unknown, invalid, blocked, cut by the output limit, aborted) end in an error result. Never throws.
 */
export function executeToolCalls(
  message: AssistantMessage,
  tools: readonly AgentTool[],
  hooks: ToolHooks,
  emit: (event: AgentEvent) => Promise<void>,
  signal: AbortSignal,
  now: () => number,
): Promise<ToolBatch> {
  return new BatchRunner(message, tools, hooks, emit, signal, now).run();
}
