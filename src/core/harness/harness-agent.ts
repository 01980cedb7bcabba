// The agent of a session, with hooks and the person's approval at its boundaries (seed 1 §2, product.md Hooks).
import { Agent } from "../agent/agent.ts";
import type { AgentContext } from "../agent/agent-loop.ts";
import type { BeforeToolCall } from "../agent/tool-execution.ts";
import type { Model } from "../llm/model.ts";
import type { HarnessOptions } from "./harness-options.ts";
import type { ModelRequests } from "./model-requests.ts";

export interface AgentParts {
  requests: ModelRequests;
  savePoint: () => Promise<void>;
  /** What changed since the last turn, before the hooks see it. */
  prepareNextTurn: (signal: AbortSignal) => Promise<Partial<AgentContext>>;
  onQueueChange: () => void;
}

export function createHarnessAgent(options: HarnessOptions, parts: AgentParts): Agent {
  const { hooks, settings } = options;
  return new Agent({
    initialState: {
      systemPrompt: "",
      messages: [],
      tools: options.tools,
      // A run begins with the model that is then chosen, never with this one.
      model: options.model as Model,
      thinkingLevel: options.thinkingLevel,
    },
    describeTool: options.describeTool,
    steeringMode: () => settings().steeringMode,
    followUpMode: () => settings().followUpMode,
    onQueueChange: parts.onQueueChange,
    config: {
      now: options.access.now,
      stream: (request, turn, signal) => parts.requests.stream(request, turn, signal),
      transformContext: (messages, signal) => hooks.context(messages, signal),
      savePoint: parts.savePoint,
      prepareNextTurn: async (turn, signal) => {
        const own = await parts.prepareNextTurn(signal);
        const context = { ...turn.context, ...own };
        const hooked = await hooks.prepareNextTurn({ ...turn, context, signal });
        return { ...own, ...hooked };
      },
      shouldStopAfterTurn: (turn) => hooks.shouldStopAfterTurn(turn),
      beforeToolCall: (call, signal) => beforeToolCall(options, call, signal),
      afterToolCall: (call, result, signal) =>
        hooks.toolResult(
          {
            toolCallId: call.call.id,
            toolName: call.tool.name,
            input: call.params,
            content: result.content,
            details: result.details,
            isError: result.isError === true,
          },
          signal,
        ),
    },
  });
}

/** The hooks first; what they let through is for the person to decide. */
async function beforeToolCall({ hooks, approve }: HarnessOptions, call: BeforeToolCall, signal: AbortSignal) {
  const verdict = await hooks.toolCall({
    toolCallId: call.call.id,
    toolName: call.tool.name,
    input: call.params,
    signal,
  });
  return verdict?.block === true ? verdict : await approve?.(call, signal);
}
