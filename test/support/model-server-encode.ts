// Writes neutral replies as the frames of each wire.
import type { Fault, Reply, ReplyPart, ServerApi } from "./model-server-script.ts";

export interface WireUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export interface EncodeInput {
  reply: Reply;
  model: string;
  /** Null where no usage is to be reported. */
  usage: WireUsage | null;
  /** A thinking signature that binds to the request's prefix. */
  sign: (thinking: string) => string;
  /** Makes ids unique over the server's life. */
  serial: number;
  binding: { dropped: number } | undefined;
}

const frame = (event: string | undefined, data: unknown) =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

/** Pieces of about twelve characters that never split a surrogate pair. */
export function pieces(text: string): string[] {
  const points = Array.from(text);
  const out: string[] = [];
  for (let i = 0; i < points.length; i += 12) out.push(points.slice(i, i + 12).join(""));
  return out;
}

const argumentText = (call: Extract<ReplyPart, { call: unknown }>["call"]) =>
  call.rawArguments ?? JSON.stringify(call.arguments ?? {});

export function encode(api: ServerApi, input: EncodeInput): string[] {
  const frames = {
    "anthropic-messages": anthropic,
    "openai-responses": responses,
    "openai-completions": chat,
    "ollama-chat": ollama,
  }[api](input);
  return spoil(api, frames, input.reply.fault);
}

/** Faults that change frames; those that change bytes are the server's. */
function spoil(api: ServerApi, frames: string[], fault: Fault | undefined): string[] {
  const ndjson = api === "ollama-chat";
  switch (fault?.kind) {
    case "badFrame":
      return [
        ...frames.slice(0, 3),
        ndjson ? '{"message":{"con\n' : frame("content_block_delta", '{"type":"content_blo'),
        ...frames.slice(3),
      ];
    case "unknownEvents":
      return frames.flatMap((text) => [
        ndjson ? '{"future":{"x":1}}\n' : frame("future_event", { type: "future_event", x: 1 }),
        text,
      ]);
    case "errorEvent": {
      const error = { type: "overloaded_error", message: "Overloaded", code: "server_error" };
      const text = ndjson
        ? `${JSON.stringify({ error: "server overloaded" })}\n`
        : frame("error", { type: "error", error });
      return [...frames.slice(0, 4), text];
    }
    case "commentsAndPings":
      return frames.flatMap((text) => [ndjson ? "\n" : ": OPENROUTER PROCESSING\n\n", text]);
    case "crlf":
      return frames.map((text) => text.replaceAll("\n", "\r\n"));
    case "noTerminal":
      return api === "openai-completions" ? frames.slice(0, -3) : frames.slice(0, -1);
    default:
      return frames;
  }
}

function stopOf(reply: Reply, names: { stop: string; length: string; toolUse: string; refusal: string }): string {
  const calls = (reply.parts ?? []).some((part) => "call" in part);
  const stop = reply.stop ?? (calls ? "toolUse" : "stop");
  return stop in names ? names[stop as keyof typeof names] : stop;
}

function anthropic({ reply, model, usage, sign, serial, binding }: EncodeInput): string[] {
  const cache = {
    cache_creation_input_tokens: usage?.cacheWrite ?? 0,
    cache_read_input_tokens: usage?.cacheRead ?? 0,
  };
  const message = {
    id: `msg_${serial}`,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    usage: usage === null ? undefined : { input_tokens: usage.input, output_tokens: 1, ...cache },
    ...(binding === undefined
      ? {}
      : { input_transformations: binding.dropped === 0 ? [] : [{ type: "thinking_dropped" }] }),
  };
  const out = [frame("message_start", { type: "message_start", message }), frame("ping", { type: "ping" })];
  for (const [index, part] of (reply.parts ?? []).entries()) {
    const delta = (body: object) =>
      out.push(frame("content_block_delta", { type: "content_block_delta", index, delta: body }));
    const start = (block: object) =>
      out.push(frame("content_block_start", { type: "content_block_start", index, content_block: block }));
    if ("text" in part) {
      start({ type: "text", text: "" });
      for (const text of pieces(part.text)) delta({ type: "text_delta", text });
    } else if ("thinking" in part) {
      start({ type: "thinking", thinking: "", signature: "" });
      for (const thinking of pieces(part.thinking)) delta({ type: "thinking_delta", thinking });
      delta({ type: "signature_delta", signature: part.signature ?? sign(part.thinking) });
    } else if ("redacted" in part) {
      start({ type: "redacted_thinking", data: part.redacted });
    } else {
      start({ type: "tool_use", id: part.call.id ?? `toolu_${serial}_${index}`, name: part.call.name, input: {} });
      for (const json of pieces(argumentText(part.call))) delta({ type: "input_json_delta", partial_json: json });
    }
    out.push(frame("content_block_stop", { type: "content_block_stop", index }));
  }
  const stop = stopOf(reply, { stop: "end_turn", length: "max_tokens", toolUse: "tool_use", refusal: "refusal" });
  const details =
    stop === "refusal" ? { stop_details: { explanation: "The request was declined.", category: "test" } } : {};
  out.push(
    frame("message_delta", {
      type: "message_delta",
      delta: { stop_reason: stop, ...details },
      usage: usage === null ? undefined : { output_tokens: usage.output, input_tokens: null },
    }),
    frame("message_stop", { type: "message_stop" }),
  );
  return out;
}

function responses({ reply, model, usage, sign, serial }: EncodeInput): string[] {
  const out: string[] = [];
  const send = (type: string, body: object) => out.push(frame(type, { type, sequence_number: out.length, ...body }));
  const output: object[] = [];
  send("response.created", { response: { id: `resp_${serial}`, model, status: "in_progress", output: [] } });
  for (const [index, part] of (reply.parts ?? []).entries()) {
    const add = (item: object) => send("response.output_item.added", { output_index: index, item });
    let item: object;
    if ("text" in part) {
      const id = `msg_${serial}_${index}`;
      add({ type: "message", id, role: "assistant", status: "in_progress", content: [] });
      for (const delta of pieces(part.text))
        send("response.output_text.delta", { output_index: index, content_index: 0, item_id: id, delta });
      const content = [{ type: "output_text", text: part.text, annotations: [] }];
      item = { type: "message", id, role: "assistant", status: "completed", phase: "final_answer", content };
    } else if ("thinking" in part) {
      const id = `rs_${serial}_${index}`;
      add({ type: "reasoning", id, summary: [] });
      for (const delta of pieces(part.thinking)) {
        send("response.reasoning_summary_text.delta", { output_index: index, summary_index: 0, item_id: id, delta });
      }
      const summary = [{ type: "summary_text", text: part.thinking }];
      item = { type: "reasoning", id, summary, encrypted_content: part.signature ?? sign(JSON.stringify(summary)) };
    } else if ("redacted" in part) {
      item = { type: "reasoning", id: `rs_${serial}_${index}`, summary: [], encrypted_content: part.redacted };
      add(item);
    } else {
      const id = `fc_${serial}_${index}`;
      const call_id = part.call.id ?? `call_${serial}_${index}`;
      add({ type: "function_call", id, call_id, name: part.call.name, arguments: "", status: "in_progress" });
      for (const delta of pieces(argumentText(part.call))) {
        send("response.function_call_arguments.delta", { output_index: index, item_id: id, delta });
      }
      item = {
        type: "function_call",
        id,
        call_id,
        name: part.call.name,
        arguments: argumentText(part.call),
        status: "completed",
      };
    }
    output.push(item);
    send("response.output_item.done", { output_index: index, item });
  }
  const stop = stopOf(reply, {
    stop: "completed",
    length: "max_output_tokens",
    toolUse: "completed",
    refusal: "content_filter",
  });
  const response = {
    id: `resp_${serial}`,
    model,
    output,
    status: stop === "completed" ? "completed" : "incomplete",
    incomplete_details: stop === "completed" ? null : { reason: stop },
    usage:
      usage === null
        ? undefined
        : {
            input_tokens: usage.input + usage.cacheRead + usage.cacheWrite,
            input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
            output_tokens: usage.output,
            output_tokens_details: { reasoning_tokens: 0 },
          },
  };
  send(stop === "completed" ? "response.completed" : "response.incomplete", { response });
  return out;
}

function chat({ reply, model, usage, serial }: EncodeInput): string[] {
  const out: string[] = [];
  const send = (delta: object, finish: string | null = null, rest: object = {}) =>
    out.push(
      frame(undefined, {
        id: `chatcmpl-${serial}`,
        object: "chat.completion.chunk",
        model,
        choices: [{ index: 0, delta, finish_reason: finish }],
        ...rest,
      }),
    );
  send({ role: "assistant", content: "" });
  let index = 0;
  for (const part of reply.parts ?? []) {
    if ("text" in part) for (const content of pieces(part.text)) send({ content });
    else if ("thinking" in part) for (const reasoning_content of pieces(part.thinking)) send({ reasoning_content });
    else if ("call" in part) {
      const id = part.call.id ?? `call_${serial}_${index}`;
      send({
        tool_calls: [
          { index, ...(id === "" ? {} : { id }), type: "function", function: { name: part.call.name, arguments: "" } },
        ],
      });
      for (const text of pieces(argumentText(part.call)))
        send({ tool_calls: [{ index, function: { arguments: text } }] });
      index++;
    }
  }
  send({}, stopOf(reply, { stop: "stop", length: "length", toolUse: "tool_calls", refusal: "content_filter" }));
  const counted =
    usage === null
      ? {}
      : {
          usage: {
            prompt_tokens: usage.input + usage.cacheRead + usage.cacheWrite,
            completion_tokens: usage.output,
            prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
          },
        };
  out.push(
    frame(undefined, { id: `chatcmpl-${serial}`, object: "chat.completion.chunk", model, choices: [], ...counted }),
    frame(undefined, "[DONE]"),
  );
  return out;
}

function ollama({ reply, model, usage }: EncodeInput): string[] {
  const line = (body: object) => `${JSON.stringify({ model, created_at: "2026-11-30T00:00:00Z", ...body })}\n`;
  const out: string[] = [];
  for (const part of reply.parts ?? []) {
    if ("text" in part)
      for (const content of pieces(part.text)) out.push(line({ message: { role: "assistant", content }, done: false }));
    else if ("thinking" in part) {
      for (const thinking of pieces(part.thinking))
        out.push(line({ message: { role: "assistant", content: "", thinking }, done: false }));
    } else if ("call" in part) {
      const call = { function: { name: part.call.name, arguments: part.call.arguments ?? {} } };
      out.push(line({ message: { role: "assistant", content: "", tool_calls: [call] }, done: false }));
    }
  }
  const counted =
    usage === null
      ? {}
      : { prompt_eval_count: usage.input + usage.cacheRead + usage.cacheWrite, eval_count: usage.output };
  const done_reason = stopOf(reply, { stop: "stop", length: "length", toolUse: "stop", refusal: "stop" });
  out.push(line({ message: { role: "assistant", content: "" }, done: true, done_reason, ...counted }));
  return out;
}
