// Reads requests of four wires into one neutral form, and refuses what the real providers refuse.
import type { ServerApi, ServerCall, ServerMessage } from "./model-server-script.ts";

type Json = Record<string, unknown>;

/** The provider's refusal: always a 400 with its words. */
export class Refused extends Error {
  readonly code: string;
  constructor(message: string, code = "invalid_request_error") {
    super(message);
    this.code = code;
  }
}

export interface ParsedBody {
  system: string;
  tools: string[];
  messages: ServerMessage[];
  /** Text of each block in wire order, without cache marks; what prefixes and tokens are computed from. */
  blocks: Block[];
}

export interface Block {
  text: string;
  marked: boolean;
  thinking?: { signature: string; text: string } | undefined;
  /** Position of the first block of the same assistant turn; thinking is bound to everything before it. */
  turnStart: number;
}

export function parseBody(api: ServerApi, body: Json, strictIds: "default" | "mistral"): ParsedBody {
  if (LONE_SURROGATE.test(JSON.stringify(body)))
    throw new Refused("The request body is not valid UTF-8: lone surrogate");
  if (api === "anthropic-messages") return parseAnthropic(body);
  if (api === "openai-responses") return parseResponses(body);
  return parseChat(api, body, strictIds);
}

// JSON.stringify writes lone surrogates as escapes, which is how they would travel.
const LONE_SURROGATE = /\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}/i;

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const bare = ({ cache_control: _, ...block }: Json): string => JSON.stringify(block);

function checkTools(
  tools: Json[],
  schemaOf: (tool: Json) => Json | undefined,
  nameOf: (tool: Json) => unknown,
): string[] {
  return tools.map((tool) => {
    const name = String(nameOf(tool));
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) throw new Refused(`tools: name '${name}' is invalid`);
    const schema = schemaOf(tool);
    if (schema?.type !== "object") throw new Refused(`tools.${name}: input schema must have type object`);
    for (const key of ["anyOf", "oneOf", "allOf"]) {
      if (key in schema) throw new Refused(`tools.${name}: ${key} is not supported at the top level`);
    }
    return name;
  });
}

function parseAnthropic(body: Json): ParsedBody {
  const blocks: ParsedBody["blocks"] = [];
  const tools = list(body.tools);
  const names = checkTools(
    tools,
    (tool) => tool.input_schema as Json,
    (tool) => tool.name,
  );
  for (const tool of tools) blocks.push({ text: bare(tool), turnStart: 0, marked: tool.cache_control !== undefined });
  const system = typeof body.system === "string" ? [{ type: "text", text: body.system }] : list(body.system);
  for (const block of system as Json[]) {
    if (String(block.text).trim() === "") throw new Refused("system: text content blocks must be non-empty");
    blocks.push({ text: bare(block), turnStart: 0, marked: block.cache_control !== undefined });
  }
  const messages: ServerMessage[] = [];
  const wire = list(body.messages);
  if (wire.length === 0) throw new Refused("messages: at least one message is required");
  if (wire[0]?.role !== "user") throw new Refused("messages: first message must use the user role");
  if (wire.at(-1)?.role !== "user") throw new Refused("This model does not support assistant message prefill");
  let open: string[] = [];
  const ids = new Set<string>();
  for (const [position, message] of wire.entries()) {
    const content =
      typeof message.content === "string" ? [{ type: "text", text: message.content }] : list(message.content);
    if (content.length === 0) throw new Refused(`messages.${position}: content must not be empty`);
    const turnStart = blocks.length;
    const answered: string[] = [];
    let afterResults = false;
    const out: ServerMessage = { role: message.role === "assistant" ? "assistant" : "user", text: "", calls: [] };
    if (message.role === "assistant" && open.length > 0) throw new Refused(missingResults(position, open));
    for (const block of content as Json[]) {
      blocks.push({
        text: bare(block),
        turnStart,
        marked: block.cache_control !== undefined,
        thinking:
          block.type === "thinking" ? { signature: String(block.signature), text: String(block.thinking) } : undefined,
      });
      switch (block.type) {
        case "text":
          if (String(block.text).trim() === "") {
            throw new Refused(`messages.${position}: text content blocks must contain non-whitespace text`);
          }
          afterResults = true;
          out.text += block.text;
          break;
        case "image":
          if (message.role === "assistant") throw new Refused(`messages.${position}: images are not allowed here`);
          afterResults = true;
          break;
        case "thinking":
        case "redacted_thinking":
          if (message.role !== "assistant") throw new Refused(`messages.${position}: thinking in a user message`);
          if (block.cache_control !== undefined) throw new Refused("thinking blocks cannot have cache_control");
          break;
        case "tool_use": {
          const id = String(block.id);
          if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id))
            throw new Refused(`messages.${position}: tool_use.id '${id}' is invalid`);
          if (ids.has(id)) throw new Refused(`messages.${position}: \`tool_use\` ids must be unique`);
          if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(block.name)))
            throw new Refused(`messages.${position}: tool_use.name is invalid`);
          ids.add(id);
          open.push(id);
          out.calls.push({ id, name: String(block.name), arguments: block.input });
          break;
        }
        case "tool_result": {
          const id = String(block.tool_use_id);
          if (afterResults) throw new Refused(`messages.${position}: tool_result blocks must come first`);
          if (answered.includes(id))
            throw new Refused(`each tool_use must have a single result. Found multiple for ${id}`);
          if (!open.includes(id))
            throw new Refused(`unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}`);
          const inner =
            typeof block.content === "string" ? [{ type: "text", text: block.content }] : list(block.content);
          if (block.is_error === true && inner.some((part) => (part as Json).type !== "text")) {
            throw new Refused("all content must be type text if is_error is true");
          }
          for (const part of inner as Json[]) {
            if (part.type === "text" && String(part.text).trim() === "")
              throw new Refused("tool_result: text must be non-empty");
          }
          answered.push(id);
          messages.push({
            role: "tool",
            text: inner.map((part) => String((part as Json).text ?? "")).join(""),
            calls: [],
            toolCallId: id,
          });
          break;
        }
        default:
          throw new Refused(`messages.${position}: unknown block type ${String(block.type)}`);
      }
    }
    if (message.role === "user") {
      const missing = open.filter((id) => !answered.includes(id));
      if (missing.length > 0) throw new Refused(missingResults(position, missing));
      open = [];
    }
    if (out.text !== "" || out.calls.length > 0) messages.push(out);
  }
  const marks = blocks.filter(({ marked }) => marked).length;
  if (marks > 4) throw new Refused(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
  return { system: system.map((block) => String((block as Json).text)).join("\n"), tools: names, messages, blocks };
}

const missingResults = (position: number, ids: string[]) =>
  `messages.${position}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}`;

function parseResponses(body: Json): ParsedBody {
  const tools = list(body.tools);
  const names = checkTools(
    tools,
    (tool) => tool.parameters as Json,
    (tool) => tool.name,
  );
  const blocks: ParsedBody["blocks"] = tools.map((tool) => ({ text: bare(tool), turnStart: 0, marked: false }));
  const messages: ServerMessage[] = [];
  let system = String(body.instructions ?? "");
  const open = new Set<string>();
  const seen = new Set<string>();
  let reasoningPending = false;
  let turnStart = blocks.length;
  if (body.store !== false) throw new Refused("this server stores nothing: send store:false");
  for (const item of list(body.input)) {
    const reasoning = item.type === "reasoning";
    const ofModel = reasoning || item.type === "function_call" || item.role === "assistant";
    if (!ofModel) turnStart = blocks.length + 1;
    blocks.push({
      text: bare(item),
      turnStart,
      marked: false,
      thinking: reasoning
        ? { signature: String(item.encrypted_content), text: JSON.stringify(item.summary) }
        : undefined,
    });
    if (item.type === "function_call") {
      const id = String(item.call_id);
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id)) throw new Refused(`Invalid 'input': call_id '${id}'`);
      if (item.id !== undefined && !/^fc_/.test(String(item.id)))
        throw new Refused(`Invalid 'id': '${String(item.id)}' must begin with 'fc'`);
      if (seen.has(id)) throw new Refused(`Duplicate call_id ${id}`);
      seen.add(id);
      open.add(id);
      const call: ServerCall = { id, name: String(item.name), arguments: JSON.parse(String(item.arguments)) };
      messages.push({ role: "assistant", text: "", calls: [call] });
      reasoningPending = false;
    } else if (item.type === "function_call_output") {
      const id = String(item.call_id);
      if (!open.delete(id)) throw new Refused(`No tool call found for function call output with call_id ${id}.`);
      const text = typeof item.output === "string" ? item.output : JSON.stringify(item.output);
      messages.push({ role: "tool", text, calls: [], toolCallId: id });
    } else if (reasoning) {
      if (typeof item.id !== "string" || item.encrypted_content === undefined)
        throw new Refused("reasoning item incomplete");
      reasoningPending = true;
    } else {
      if (open.size > 0 && item.role !== "assistant") {
        throw new Refused(`No tool output found for function call ${[...open][0]}.`);
      }
      const parts =
        typeof item.content === "string" ? [{ type: "input_text", text: item.content }] : list(item.content);
      const text = parts.map((part) => String((part as Json).text ?? "")).join("");
      if (item.role === "developer" || item.role === "system") {
        system += text;
        continue;
      }
      for (const part of parts as Json[]) {
        if ("text" in part && String(part.text).trim() === "") throw new Refused("Invalid 'input': empty text");
        const wanted = item.role === "assistant" ? "output_text" : /^input_(text|image)$/;
        if (!new RegExp(wanted).test(String(part.type))) throw new Refused(`Invalid value: '${String(part.type)}'`);
      }
      messages.push({ role: item.role === "assistant" ? "assistant" : "user", text, calls: [] });
      reasoningPending = false;
    }
  }
  if (open.size > 0) throw new Refused(`No tool output found for function call ${[...open][0]}.`);
  if (reasoningPending) throw new Refused("Item of type 'reasoning' was provided without its required following item.");
  if (messages.length === 0) throw new Refused("Missing required parameter: 'input'.");
  return { system, tools: names, messages, blocks };
}

function parseChat(api: ServerApi, body: Json, strictIds: "default" | "mistral"): ParsedBody {
  const tools = list(body.tools);
  const names = checkTools(
    tools,
    (tool) => (tool.function as Json)?.parameters as Json,
    (tool) => (tool.function as Json)?.name,
  );
  const blocks: ParsedBody["blocks"] = tools.map((tool) => ({ text: bare(tool), turnStart: 0, marked: false }));
  const messages: ServerMessage[] = [];
  let system = "";
  let open: string[] = [];
  const seen = new Set<string>();
  const native = api === "ollama-chat";
  const idForm = strictIds === "mistral" ? /^[a-zA-Z0-9]{9}$/ : /^[a-zA-Z0-9_-]{1,40}$/;
  for (const [position, message] of list(body.messages).entries()) {
    blocks.push({ text: bare(message), turnStart: 0, marked: false });
    const parts =
      typeof message.content === "string" ? [{ type: "text", text: message.content }] : list(message.content);
    const text = parts.map((part) => String((part as Json).text ?? "")).join("");
    if (message.role === "system" || message.role === "developer") {
      if (position !== 0) throw new Refused("system message must come first");
      system = text;
      continue;
    }
    if (message.role === "tool") {
      if (typeof message.content !== "string") throw new Refused("tool messages are text only");
      const id = native ? open[0] : String(message.tool_call_id);
      if (id === undefined || !open.includes(id)) {
        throw new Refused("messages with role 'tool' must be a response to a preceding message with 'tool_calls'.");
      }
      open = open.filter((other) => other !== id);
      messages.push({ role: "tool", text, calls: [], toolCallId: id });
      continue;
    }
    if (open.length > 0) {
      throw new Refused(
        `An assistant message with 'tool_calls' must be followed by tool messages. Missing: ${open.join(", ")}`,
      );
    }
    if (messages.length === 0 && message.role !== "user") throw new Refused("first message must use the user role");
    if (message.role === "user" && messages.at(-1)?.role === "user") throw new Refused("roles must alternate");
    const calls = list(message.tool_calls).map((call): ServerCall => {
      const fn = call.function as Json;
      const id = native ? `native_${seen.size}` : String(call.id);
      if (!native && !idForm.test(id)) throw new Refused(`invalid tool call id '${id}'`);
      if (seen.has(id)) throw new Refused(`duplicate tool call id '${id}'`);
      seen.add(id);
      open.push(id);
      if (native && typeof fn.arguments !== "object") throw new Refused("arguments must be an object");
      return { id, name: String(fn.name), arguments: native ? fn.arguments : JSON.parse(String(fn.arguments)) };
    });
    const images = list(message.images).length + parts.filter((part) => (part as Json).type === "image_url").length;
    if (text.trim() === "" && calls.length === 0 && images === 0)
      throw new Refused(`messages.${position}: content is empty`);
    messages.push({ role: message.role === "assistant" ? "assistant" : "user", text, calls });
  }
  if (open.length > 0) throw new Refused(`Missing tool messages: ${open.join(", ")}`);
  if (messages.length === 0) throw new Refused("messages must not be empty");
  if (messages.at(-1)?.role === "assistant") throw new Refused("last message must not be from the assistant");
  return { system, tools: names, messages, blocks };
}
