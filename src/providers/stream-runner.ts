// The frame of every adapter: one start, the adapter's events, and exactly one end, whatever happens.
import type { Model } from "../core/llm/model.ts";
import type { LlmContext, StreamEvent, StreamFunction, StreamOptions } from "../core/llm/stream.ts";
import { classifyError } from "./classify-error.ts";
import { type RepairedHistory, type RepairOptions, repairHistory } from "./history-repair.ts";
import { MessageAssembler } from "./message-assembler.ts";
import { wireTools } from "./tool-names.ts";

export interface AdapterRequest {
  model: Model;
  context: LlmContext;
  options: StreamOptions;
  /** The messages to send. */
  history: RepairedHistory;
  assembler: MessageAssembler;
}

/** Yields the events between start and end; returns the ending, throws whatever went wrong. */
export type AdapterRun = (request: AdapterRequest) => AsyncGenerator<StreamEvent, StreamEvent>;

/** Makes a StreamFunction: repairs the history, turns whatever is thrown into `error`, and never throws itself. */
export function adapter(repair: (model: Model) => RepairOptions, run: AdapterRun): StreamFunction {
  return async function* stream(model, given, options) {
    const { tools, original } = wireTools(given.tools);
    const context = { ...given, tools };
    const failed = (error: unknown) =>
      classifyError(error, {
        provider: model.provider,
        baseUrl: model.baseUrl,
        aborted: options.signal.aborted,
        apiKey: options.apiKey,
      });
    let assembler = new MessageAssembler(model, context, options);
    let ending: StreamEvent;
    try {
      const history = repairHistory(model, context, repair(model));
      assembler = new MessageAssembler(model, context, options, history.prefixHash, original);
      yield assembler.start();
      ending = yield* run({ model, context, options, history, assembler });
    } catch (error) {
      ending = assembler.fail(failed(error));
    }
    yield ending;
  };
}
