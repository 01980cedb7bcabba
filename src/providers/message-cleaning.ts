// Cleans the parts of single messages: blank text, broken characters, images, thinking and proofs of other models.
import { isCutOff } from "../core/llm/cut-off.ts";
import type { AssistantMessage, ImageContent, TextContent, ThinkingContent, ToolCall } from "../core/llm/messages.ts";
import type { Model } from "../core/llm/model.ts";
import { callsAreVoid } from "../core/llm/never-sent.ts";
import { wireToolName } from "./tool-names.ts";

export type ContentPart = TextContent | ImageContent;

/** Base64 characters of one image; the largest that every provider takes (providers §5.7, reports 109). */
const MAX_IMAGE_CHARS = 4.5 * 1024 * 1024;
const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const STOPPED_NOTE = "(The user stopped this reply here.)";
const CUT_OFF_NOTE = "(This reply was cut off here when the editor closed.)";

/** The parts of a user message without blanks, with images that the model cannot take replaced by a note. */
export function cleanUserParts(content: unknown, model: Pick<Model, "input">): ContentPart[] {
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [];
  const out: ContentPart[] = [];
  for (const part of parts as { type?: unknown; text?: unknown; data?: unknown; mimeType?: unknown }[]) {
    if (part?.type === "text" && typeof part.text === "string" && part.text.trim() !== "") {
      out.push({ type: "text", text: part.text.toWellFormed() });
    } else if (part?.type === "image") {
      addImage(out, part, model);
    }
  }
  return out;
}

/** The parts of a tool result; the same rules. */
export function cleanResultParts(content: unknown, model: Pick<Model, "input">): ContentPart[] {
  return cleanUserParts(content, model);
}

function addImage(out: ContentPart[], part: { data?: unknown; mimeType?: unknown }, model: Pick<Model, "input">): void {
  const note = imageProblem(part, model);
  if (note === undefined) {
    out.push({ type: "image", data: part.data as string, mimeType: part.mimeType as string });
    return;
  }
  // One note for a run of images.
  const last = out.at(-1);
  if (last?.type !== "text" || last.text !== note) out.push({ type: "text", text: note });
}

function imageProblem(part: { data?: unknown; mimeType?: unknown }, model: Pick<Model, "input">): string | undefined {
  if (!model.input.includes("image")) return "(An image was here; this model does not see images.)";
  if (typeof part.data !== "string" || part.data === "") return "(An image was here; its data is missing.)";
  if (typeof part.mimeType !== "string" || !IMAGE_TYPES.has(part.mimeType)) {
    return "(An image was here; its format cannot be sent.)";
  }
  if (part.data.length > MAX_IMAGE_CHARS) return "(An image was here; it is too large to be sent.)";
  return undefined;
}

export interface CleaningOptions {
  /** The prefix holds: thinking and its proofs go along, byte for byte. */
  keepProofs: boolean;
  /** Written by the very model that will read it. */
  sameOrigin: boolean;
  unsignedThinking: boolean;
  /** Ids of the provider's own items may go along. */
  itemIds: boolean;
}

/** A copy of an assistant message as it may be sent; `content` is that of `message`. */
export function cleanAssistant(
  message: AssistantMessage,
  options: CleaningOptions,
): { message: AssistantMessage; content: AssistantMessage["content"]; itemIds: boolean } {
  const void_ = callsAreVoid(message);
  const content: AssistantMessage["content"] = [];
  for (const part of message.content ?? []) {
    if (part.type === "text") {
      const text = cleanText(part, options);
      if (text !== undefined) content.push(text);
    } else if (part.type === "thinking") {
      const thinking = void_ ? undefined : cleanThinking(part, options);
      if (thinking !== undefined) content.push(thinking);
    } else if (part.type === "toolCall" && !void_) {
      content.push(cleanCall(part, options));
    }
  }
  if (message.stopReason === "aborted") {
    content.push({ type: "text", text: isCutOff(message) ? CUT_OFF_NOTE : STOPPED_NOTE });
  }
  return { message: { ...message, content }, content, itemIds: options.itemIds && !void_ };
}

function cleanText(part: TextContent, options: CleaningOptions): TextContent | undefined {
  if (typeof part.text !== "string" || part.text.trim() === "") return undefined;
  const text: TextContent = { type: "text", text: part.text.toWellFormed() };
  if (part.textSignature !== undefined && options.sameOrigin) {
    const signature = options.itemIds ? part.textSignature : withoutItemId(part.textSignature);
    if (signature !== undefined) text.textSignature = signature;
  }
  return text;
}

/** The phase of a Responses message outlives its item id; an id without the reasoning it stood with is refused. */
function withoutItemId(signature: string): string | undefined {
  try {
    const { phase } = JSON.parse(signature) as { phase?: unknown };
    return typeof phase === "string" ? JSON.stringify({ v: 1, phase }) : undefined;
  } catch {
    return undefined;
  }
}

/** Never edits: signed thinking goes as it came or not at all, and never as text (§5.6). */
function cleanThinking(part: ThinkingContent, options: CleaningOptions): ThinkingContent | undefined {
  if (!options.keepProofs) return undefined;
  if (part.thinkingSignature !== undefined && part.thinkingSignature !== "") return { ...part };
  return options.unsignedThinking && part.thinking !== "" ? { ...part } : undefined;
}

function cleanCall(part: ToolCall, options: CleaningOptions): ToolCall {
  const call: ToolCall = {
    type: "toolCall",
    id: String(part.id ?? ""),
    name: wireToolName(String(part.name ?? "")),
    arguments: wellFormed(isRecord(part.arguments) ? part.arguments : {}) as Record<string, unknown>,
  };
  if (part.thoughtSignature !== undefined && options.keepProofs) call.thoughtSignature = part.thoughtSignature;
  return call;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A copy whose strings and keys hold no lone surrogates: both SDKs would pass them on as escapes (§5.9). */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]));
}
