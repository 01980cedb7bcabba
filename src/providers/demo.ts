// The scripted demo model: works on any conversation, needs no network and no key, and never pretends to be an AI.
import { toError } from "../core/errors.ts";
import type { Model } from "../core/llm/model.ts";
import type { LlmContext, StreamEvent, StreamFunction, StreamOptions } from "../core/llm/stream.ts";
import { estimateRequestTokens } from "./cost.ts";
import { type DemoReply, demoReply } from "./demo-script.ts";
import { demoSummary, isSummaryRequest } from "./demo-summary.ts";
import { MessageAssembler } from "./message-assembler.ts";

export { DEMO_MODEL } from "./demo-model.ts";

const DELAY_MS = 12;

/**
 * Answers from the script. `Model.compat.delayMs` sets the wait between two words (12 ms). Token counts are estimates
 * against a window of 16,384, and a conversation that does not fit is refused as a real server would.
 */
export const streamDemo: StreamFunction = async function* (model, context, options) {
  const assembler = new MessageAssembler(model, context, options);
  try {
    yield assembler.start();
    const ending = yield* answer(model, context, options, assembler);
    yield ending;
  } catch (error) {
    // A hook that threw.
    yield assembler.fail({ kind: "unknown", message: toError(error).message });
  }
};

async function* answer(
  model: Model,
  context: LlmContext,
  options: StreamOptions,
  assembler: MessageAssembler,
): AsyncGenerator<StreamEvent, StreamEvent> {
  // Nothing leaves this machine, but hooks and the inspector see what the demo is given.
  await options.onPayload?.({
    model: model.id,
    system: context.systemPrompt,
    tools: context.tools,
    messages: context.messages,
  });
  await options.onResponse?.({ status: 200, headers: {} });
  const estimate = estimateRequestTokens(context);
  if (estimate > model.contextWindow) {
    return assembler.fail({
      kind: "overflow",
      message: `This conversation takes about ${estimate} tokens; the demo's maximum context length is ${model.contextWindow} tokens.`,
      learnedWindow: model.contextWindow,
    });
  }
  const stated = model.compat?.delayMs;
  const delayMs = typeof stated === "number" ? stated : DELAY_MS;
  for await (const event of play(replyFor(context), assembler, options.thinkingLevel !== "off")) {
    await pause(delayMs, options.signal);
    if (options.signal.aborted) {
      return assembler.fail({ kind: "aborted", message: "Stopped." });
    }
    yield event;
  }
  return assembler.done(assembler.partial.content.some((part) => part.type === "toolCall") ? "toolUse" : "stop");
}

function replyFor(context: LlmContext): DemoReply {
  return isSummaryRequest(context) ? { text: demoSummary(context) } : demoReply(context);
}

function* play(reply: DemoReply, assembler: MessageAssembler, thinks: boolean): Generator<StreamEvent> {
  if (thinks && reply.thinking !== undefined) {
    for (const word of words(reply.thinking)) yield assembler.thinking("thinking", word);
  }
  for (const word of words(reply.text)) yield assembler.text("text", word);
  for (const [index, call] of (reply.calls ?? []).entries()) {
    const key = `call${index}`;
    yield assembler.toolStart(key, undefined, call.name);
    const delta = assembler.toolDelta(key, JSON.stringify(call.arguments));
    if (delta !== undefined) yield delta;
    const end = assembler.toolEnd(key);
    if (end !== undefined) yield end;
  }
}

/** Words with the space that follows them; long replies in larger pieces, so that none takes more than a few seconds. */
function words(text: string): string[] {
  const single = text.match(/\s*\S+\s*/g) ?? [];
  const size = Math.max(1, Math.ceil(single.length / 250));
  const out: string[] = [];
  for (let i = 0; i < single.length; i += size) out.push(single.slice(i, i + size).join(""));
  return out;
}

function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  if (delayMs <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", settle);
      resolve();
    };
    const timer = setTimeout(settle, delayMs);
    signal.addEventListener("abort", settle, { once: true });
  });
}
