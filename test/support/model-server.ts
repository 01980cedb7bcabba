// A loopback model server that speaks Messages, Responses, Chat Completions and Ollama, strict as the real ones are.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Accounting, checkBinding, signThinking } from "./model-server-accounting.ts";
import { encode, type WireUsage } from "./model-server-encode.ts";
import { type ParsedBody, parseBody, Refused } from "./model-server-parse.ts";
import {
  defaultScript,
  type Fault,
  replyTo,
  type Script,
  type ServerApi,
  type ServerRequest,
} from "./model-server-script.ts";

export type { Fault, Reply, ReplyPart, Script, ServerRequest } from "./model-server-script.ts";
export { defaultScript } from "./model-server-script.ts";

export interface ModelServerOptions {
  port?: number;
  /** Replies in order (the last repeats) or a function; by default a rule-based assistant. */
  script?: Script;
  /** Tokens; a longer prompt is refused in the provider's own words. */
  contextWindow?: number;
  /** Refuse requests without exactly this key. */
  requireKey?: string;
  /** Thinking whose conversation has changed: `refuse` with 400, or `drop` where the request permits it (default). */
  binding?: "refuse" | "drop";
  idStyle?: "default" | "mistral";
  models?: { id: string; contextWindow?: number; maxTokens?: number }[];
}

export interface JournalEntry {
  method: string;
  path: string;
  /** Keys are replaced by `[redacted]`. */
  headers: Record<string, string>;
  body: unknown;
  /** The body as it came, byte for byte. */
  text: string;
  status: number;
  /** Why the request was refused. */
  refused?: string;
  usage?: WireUsage | null;
  /** Thinking that was left out because its conversation had changed. */
  droppedThinking?: string[];
}

export interface ModelServer {
  /** `http://127.0.0.1:port`, without a path. */
  url: string;
  port: number;
  journal: JournalEntry[];
  /** Entries that asked for a reply. */
  requests(): JournalEntry[];
  setScript(script: Script): void;
  close(): Promise<void>;
}

const ROUTES: readonly (readonly [RegExp, ServerApi])[] = [
  [/\/v1\/messages$/, "anthropic-messages"],
  [/\/responses$/, "openai-responses"],
  [/\/chat\/completions$/, "openai-completions"],
  [/\/api\/chat$/, "ollama-chat"],
];

/** Starts the server on the loopback address; port 0 (the default) takes any free one. */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const state = new ServerState(options);
  const server = createServer((request, response) => {
    state.handle(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: `the test server failed: ${String(error)}` } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    journal: state.journal,
    requests: () => state.journal.filter(({ path }) => ROUTES.some(([route]) => route.test(path))),
    setScript: (script) => state.setScript(script),
    close: () => close(server),
  };
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

class ServerState {
  readonly journal: JournalEntry[] = [];
  readonly #options: ModelServerOptions;
  readonly #accounting = new Accounting();
  #script: Script;
  #index = 0;

  constructor(options: ModelServerOptions) {
    this.#options = options;
    this.#script = options.script ?? defaultScript;
  }

  setScript(script: Script): void {
    this.#script = script;
    this.#index = 0;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const text = await bodyOf(request);
    const entry: JournalEntry = {
      method: request.method ?? "",
      path,
      headers: redacted(request),
      body: undefined,
      text,
      status: 200,
    };
    this.journal.push(entry);
    try {
      entry.body = text === "" ? undefined : JSON.parse(text);
    } catch {
      entry.body = text;
    }
    this.#checkKey(request, entry);
    const api = ROUTES.find(([route]) => route.test(path))?.[1];
    if (entry.status !== 200)
      return void sendJson(response, entry.status, refusal(api, "invalid x-api-key", "authentication_error"));
    if (api === undefined) {
      this.#other(path, entry, response);
      return;
    }
    await this.#reply(api, entry, response, request);
  }

  #checkKey(request: IncomingMessage, entry: JournalEntry): void {
    const wanted = this.#options.requireKey;
    if (wanted === undefined) return;
    const given = request.headers.authorization?.replace(/^Bearer /, "") ?? request.headers["x-api-key"];
    if (given !== wanted) entry.status = 401;
  }

  #other(path: string, entry: JournalEntry, response: ServerResponse): void {
    const models = this.#options.models ?? [
      { id: "test-model", contextWindow: this.#options.contextWindow ?? 200_000 },
    ];
    if (/\/count_tokens$/.test(path))
      return void sendJson(response, 200, { input_tokens: Math.ceil(JSON.stringify(entry.body).length / 4) });
    if (/\/api\/tags$/.test(path))
      return void sendJson(response, 200, { models: models.map(({ id }) => ({ name: id, model: id })) });
    if (/\/api\/show$/.test(path)) {
      const window = models.find(({ id }) => id === (entry.body as { model?: string })?.model)?.contextWindow ?? 32_768;
      return void sendJson(response, 200, {
        model_info: { "test.context_length": window },
        capabilities: ["completion", "tools"],
      });
    }
    if (/\/models$/.test(path)) {
      const data = models.map(({ id, contextWindow, maxTokens }) => ({
        id,
        object: "model",
        type: "model",
        display_name: id,
        max_input_tokens: contextWindow,
        max_tokens: maxTokens,
      }));
      return void sendJson(response, 200, { object: "list", data, has_more: false });
    }
    entry.status = 404;
    sendJson(response, 404, { error: { type: "not_found_error", message: `no route ${path}` } });
  }

  async #reply(api: ServerApi, entry: JournalEntry, response: ServerResponse, request: IncomingMessage): Promise<void> {
    const body = (entry.body ?? {}) as Record<string, unknown>;
    const model = String(body.model);
    const index = this.#index++;
    let parsed: ParsedBody;
    try {
      parsed = parseBody(api, body, this.#options.idStyle ?? "default");
      this.#checkThinking(api, model, parsed, body, entry);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      entry.status = 400;
      entry.refused = error.message;
      return void sendJson(response, 400, refusal(api, error.message, error.code));
    }
    const { system, tools, messages } = parsed;
    const headers = Object.fromEntries(Object.entries(request.headers).map(([key, value]) => [key, String(value)]));
    const neutral: ServerRequest = { api, index, model, system, tools, messages, body, headers };
    const reply = replyTo(this.#script, neutral);
    const outputTokens = Math.ceil(JSON.stringify(reply.parts ?? []).length / 4);
    const counted = this.#accounting.count(
      model,
      parsed,
      outputTokens,
      api === "anthropic-messages" ? "marks" : "automatic",
    );
    const whole = counted.input + counted.cacheRead + counted.cacheWrite;
    const window = this.#options.contextWindow;
    if (reply.error === undefined && window !== undefined && whole > window) {
      entry.status = 400;
      entry.refused = overflowWords(api, whole, window);
      return void sendJson(
        response,
        400,
        refusal(api, entry.refused, api === "anthropic-messages" ? "invalid_request_error" : "context_length_exceeded"),
      );
    }
    if (reply.error !== undefined) {
      entry.status = reply.error.status;
      const { body: errorBody, headers: errorHeaders } = reply.error;
      const text = typeof errorBody === "string";
      response.writeHead(reply.error.status, {
        "content-type": text ? "text/html" : "application/json",
        ...errorHeaders,
      });
      response.end(errorBody === undefined ? "" : text ? errorBody : JSON.stringify(errorBody));
      return;
    }
    entry.usage = reply.usage === null ? null : { ...counted, ...reply.usage };
    const frames = encode(api, {
      reply,
      model,
      usage: entry.usage,
      sign: (thinking) => signThinking(model, parsed.blocks, thinking),
      serial: this.journal.length,
      binding: entry.droppedThinking === undefined ? undefined : { dropped: entry.droppedThinking.length },
    });
    await send(response, frames, api === "ollama-chat" ? "application/x-ndjson" : "text/event-stream", reply.fault);
  }

  #checkThinking(
    api: ServerApi,
    model: string,
    parsed: ParsedBody,
    body: Record<string, unknown>,
    entry: JournalEntry,
  ): void {
    const verdict = checkBinding(model, parsed.blocks);
    if (verdict.foreign.length > 0) {
      throw new Refused(
        api === "openai-responses"
          ? "The encrypted content could not be verified."
          : "Invalid `signature` in `thinking` block",
      );
    }
    const thinking = body.thinking as { block_binding?: { prefix_mismatch_behavior?: string } } | undefined;
    const mayDrop = api === "openai-responses" || thinking?.block_binding?.prefix_mismatch_behavior === "drop_block";
    if (verdict.mismatched.length > 0 && (!mayDrop || this.#options.binding === "refuse")) {
      throw new Refused("thinking block is bound to a different conversation");
    }
    entry.droppedThinking = verdict.mismatched;
  }
}

async function send(response: ServerResponse, frames: string[], type: string, fault: Fault | undefined): Promise<void> {
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  if (fault?.kind === "refuse") return void response.destroy();
  if (fault?.kind === "noHeaders") return;
  if (fault?.kind === "json")
    return void sendJson(response, 200, {
      id: "x",
      choices: [{ message: { role: "assistant", content: "not a stream" } }],
    });
  if (fault?.kind === "html") {
    response.writeHead(200, { "content-type": "text/html" });
    return void response.end("<!doctype html><title>Sign in to the network</title><p>Welcome</p>");
  }
  response.writeHead(200, { "content-type": type, "cache-control": "no-cache" });
  response.flushHeaders();
  const bytes = Buffer.from(frames.join(""), "utf8");
  switch (fault?.kind) {
    case "stallAt":
      response.write(bytes.subarray(0, fault.byte));
      return;
    case "destroyAt":
      response.write(bytes.subarray(0, fault.byte), () => setImmediate(() => response.destroy()));
      return;
    case "endAt":
      return void response.end(bytes.subarray(0, fault.byte));
    case "oneByteChunks":
      for (let i = 0; i < bytes.length && !response.destroyed; i++) {
        response.write(bytes.subarray(i, i + 1));
        if (i % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      return void response.end();
    case "pingsOnly":
      while (!response.destroyed) {
        response.write(": ping\n\n");
        await wait(fault.everyMs ?? 20);
      }
      return;
    case "slow":
      for (const frame of frames) {
        if (response.destroyed) return;
        response.write(frame);
        await wait(fault.everyMs);
      }
      return void response.end();
    case "huge": {
      const filler = frames[Math.min(3, frames.length - 1)] ?? "";
      const block = Buffer.from(filler.repeat(Math.ceil(65_536 / filler.length)));
      response.write(frames.slice(0, 3).join(""));
      for (let sent = 0; sent < fault.bytes && !response.destroyed; sent += block.length) {
        if (!response.write(block))
          await new Promise((resolve) => {
            const go = () => {
              response.off("drain", go);
              response.off("close", go);
              resolve(undefined);
            };
            response.on("drain", go);
            response.on("close", go);
          });
      }
      return void response.end();
    }
    default:
      return void response.end(bytes);
  }
}

function overflowWords(api: ServerApi, tokens: number, window: number): string {
  if (api === "anthropic-messages") return `prompt is too long: ${tokens} tokens > ${window} maximum`;
  if (api === "openai-responses")
    return "Your input exceeds the context window of this model. Please adjust your input and try again.";
  if (api === "ollama-chat") return `prompt too long; exceeded max context length by ${tokens - window} tokens`;
  return `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens.`;
}

function refusal(api: ServerApi | undefined, message: string, code: string): unknown {
  if (api === "anthropic-messages") return { type: "error", error: { type: code, message }, request_id: "req_test" };
  if (api === "ollama-chat") return { error: message };
  return { error: { message, type: "invalid_request_error", param: null, code } };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function redacted(request: IncomingMessage): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [key, value] of Object.entries(request.headers)) {
    out[key] = key === "authorization" || key === "x-api-key" ? "[redacted]" : String(value);
  }
  return out;
}
