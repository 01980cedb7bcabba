// The rows of the run that is on: events of the harness as changes of the chat (pure: no editor in here).
import type { HarnessEvent } from "../core/harness/harness-events.ts";
import type { AgentMessage, AssistantMessage } from "../core/llm/messages.ts";
import { contentText, toolCallsOf } from "../core/llm/messages.ts";
import type { ViewOp } from "../protocol/to-webview.ts";
import type { Siblings, TranscriptItem } from "../protocol/view-state.ts";
import {
  assistantBlocks,
  isBareReply,
  type ToolItem,
  toolItem,
  toolItemId,
  usageView,
  withResult,
} from "./transcript-items.ts";

const MAX_PARTIAL_OUTPUT = 8_000;

/**
 * Follows one session. Keeps the rows that are not on disk yet, so that a snapshot taken in mid-run is whole; hands every
 * change to `send` as it comes (joining them per frame is the pump's business).
 */
export class LiveTranscript {
  readonly #send: (ops: ViewOp[]) => void;
  readonly #modelName: (provider: string, modelId: string) => string;
  readonly #siblings: (entryId: string) => Siblings | undefined;
  /** Rows since the last save point, in order. */
  #items = new Map<string, TranscriptItem>();
  /** Notes of the host: shown at the end until the next prompt or until they are answered. */
  #notices = new Map<string, TranscriptItem>();
  #messages = new WeakMap<AgentMessage, string>();
  #current: string | undefined;
  #startedAt = new Map<string, number>();
  #counter = 0;

  constructor(
    send: (ops: ViewOp[]) => void,
    modelName: (provider: string, modelId: string) => string,
    siblings: (entryId: string) => Siblings | undefined = () => undefined,
  ) {
    this.#send = send;
    this.#modelName = modelName;
    this.#siblings = siblings;
  }

  /** Rows that are not on disk, in order. */
  get items(): TranscriptItem[] {
    return [...this.#items.values()];
  }

  clear(): void {
    this.#items.clear();
    this.#startedAt.clear();
  }

  /** The rows of a page with what is live laid over it. */
  overlay(items: readonly TranscriptItem[]): TranscriptItem[] {
    const out = items.slice();
    for (const live of this.#items.values()) {
      const index = out.findIndex((item) => item.id === live.id);
      if (index >= 0) out[index] = live;
      else out.push(live);
    }
    return [...out, ...this.#notices.values()];
  }

  #temporaryId(): string {
    this.#counter += 1;
    return `live:${this.#counter}`;
  }

  #upsert(item: TranscriptItem): void {
    this.#items.set(item.id, item);
    this.#send([{ op: "item.upsert", item }]);
  }

  /** A note of the host in the conversation; not an entry. The same note does not stand twice. */
  notice(notice: Pick<Extract<TranscriptItem, { kind: "notice" }>, "level" | "text" | "actions">, now: number): string {
    for (const [id, item] of this.#notices) if (item.kind === "notice" && item.text === notice.text) this.dismiss(id);
    const id = this.#temporaryId();
    const item: TranscriptItem = { kind: "notice", id, saved: true, timestamp: now, ...notice };
    this.#notices.set(id, item);
    this.#send([{ op: "item.upsert", item }]);
    return id;
  }

  /** Takes a note away; false where it is gone already. */
  dismiss(id: string): boolean {
    const stood = this.#notices.delete(id);
    if (stood) this.#send([{ op: "item.removed", id }]);
    return stood;
  }

  #dismissAll(): void {
    for (const id of [...this.#notices.keys()]) this.dismiss(id);
  }

  handle(event: HarnessEvent, now: number): void {
    switch (event.type) {
      case "message_start":
        return this.#messageStart(event.message, now);
      case "message_update":
        return this.#messageUpdate(event.message, event.event, now);
      case "message_end":
        return this.#messageEnd(event.message, now);
      case "tool_execution_start":
        this.#startedAt.set(event.toolCallId, now);
        return this.#patchTool(event.toolCallId, (item) => ({ ...item, status: "running" }));
      case "tool_execution_update": {
        const output = contentText(event.partialResult.content).slice(-MAX_PARTIAL_OUTPUT);
        return this.#patchTool(event.toolCallId, (item) => (item.status === "running" ? { ...item, output } : item));
      }
      case "tool_execution_end": {
        const started = this.#startedAt.get(event.toolCallId);
        const result = { content: event.result.content, details: event.result.details, isError: event.isError };
        return this.#patchTool(event.toolCallId, (item) => ({
          ...withResult(item, result, false),
          ...(started === undefined ? {} : { durationMs: now - started }),
        }));
      }
      case "session_tree":
        return this.#dismissAll();
      case "entries_saved":
        for (const { id, message } of event.saved) if (message !== undefined) this.#saved(message, id);
        return;
      default:
        return;
    }
  }

  /** Calls that wait for the person's answer; the others of them run. */
  setWaiting(callIds: ReadonlySet<string>, now: number): void {
    for (const item of [...this.#items.values()]) {
      if (item.kind !== "tool" || (item.status !== "running" && item.status !== "waiting")) continue;
      const status = callIds.has(item.callId) ? "waiting" : this.#startedAt.has(item.callId) ? "running" : item.status;
      // The time that a tool took begins when it was allowed.
      if (status === "running" && item.status === "waiting") this.#startedAt.set(item.callId, now);
      if (status !== item.status) this.#upsert({ ...item, status });
    }
  }

  #messageStart(message: AgentMessage, now: number): void {
    if (message.role === "assistant") {
      this.#current = undefined; // Made with the first thing that there is to show.
      return;
    }
    if (message.role === "toolResult") return;
    if (message.role === "user") this.#dismissAll();
    const id = this.#temporaryId();
    this.#messages.set(message, id);
    const base = { id, saved: false, timestamp: now };
    if (message.role === "user") {
      const images = typeof message.content === "string" ? [] : message.content.filter((part) => part.type === "image");
      this.#upsert({
        ...base,
        kind: "user",
        text: contentText(message.content),
        images: images.map(({ mimeType, data }) => ({ mimeType, data })),
      });
    } else if (message.role === "custom" && message.display) {
      this.#upsert({ ...base, kind: "custom", title: message.customType, text: contentText(message.content) });
    }
  }

  #assistantItem(message: AssistantMessage, id: string, streaming: boolean, now: number): TranscriptItem {
    const usage = streaming ? undefined : usageView(message.usage);
    return {
      kind: "assistant",
      id,
      saved: false,
      timestamp: now,
      blocks: assistantBlocks(message),
      streaming,
      ...(streaming ? {} : { stopReason: message.stopReason }),
      ...(message.errorMessage === undefined ? {} : { errorMessage: message.errorMessage }),
      model: this.#modelName(message.provider, message.model),
      ...(usage === undefined ? {} : { usage }),
    };
  }

  #messageUpdate(
    message: AssistantMessage,
    event: Extract<HarnessEvent, { type: "message_update" }>["event"],
    now: number,
  ) {
    switch (event.type) {
      case "text_delta":
      case "thinking_delta": {
        if (this.#current === undefined) {
          this.#current = this.#temporaryId();
          this.#upsert(this.#assistantItem(message, this.#current, true, now));
          return;
        }
        const blockType = event.type === "text_delta" ? "text" : "thinking";
        const item = this.#items.get(this.#current);
        if (item?.kind === "assistant") item.blocks = assistantBlocks(message);
        this.#send([{ op: "text.append", id: this.#current, block: event.contentIndex, blockType, text: event.delta }]);
        return;
      }
      case "toolcall_start": {
        const call = { type: "toolCall" as const, id: event.id, name: event.name, arguments: {} };
        this.#upsert(toolItem(call, "streaming", now, false));
        return;
      }
      case "toolcall_end": {
        const part = message.content[event.contentIndex];
        if (part?.type === "toolCall") this.#upsert(toolItem(part, "waiting", now, false));
        return;
      }
      default:
        return;
    }
  }

  #messageEnd(message: AgentMessage, now: number): void {
    if (message.role !== "assistant") return;
    if (!isBareReply(message)) {
      const id = this.#current ?? this.#temporaryId();
      this.#messages.set(message, id);
      this.#upsert(this.#assistantItem(message, id, false, now));
    } else if (this.#current !== undefined) {
      this.#items.delete(this.#current);
      this.#send([{ op: "item.removed", id: this.#current }]);
    }
    this.#current = undefined;
    const failed = message.stopReason === "error" || message.stopReason === "aborted";
    const known = new Set(toolCallsOf(message).map((call) => toolItemId(call.id)));
    for (const call of toolCallsOf(message)) {
      const existing = this.#items.get(toolItemId(call.id));
      if (existing === undefined || failed) this.#upsert(toolItem(call, failed ? "aborted" : "waiting", now, false));
    }
    // Rows of calls that a retry or the end of the stream took back.
    for (const [id, item] of this.#items) {
      if (item.kind !== "tool" || known.has(id) || (item.status !== "streaming" && item.status !== "waiting")) continue;
      this.#items.delete(id);
      this.#send([{ op: "item.removed", id }]);
    }
  }

  #patchTool(callId: string, change: (item: ToolItem) => ToolItem): void {
    const item = this.#items.get(toolItemId(callId));
    if (item?.kind === "tool") this.#upsert(change(item));
  }

  #saved(message: AgentMessage, entryId: string): void {
    if (message.role === "toolResult") {
      const id = toolItemId(message.toolCallId);
      const item = this.#items.get(id);
      if (item === undefined) return;
      this.#items.delete(id);
      this.#send([{ op: "item.upsert", item: { ...item, saved: true } }]);
      return;
    }
    const id = this.#messages.get(message);
    const item = id === undefined ? undefined : this.#items.get(id);
    if (id === undefined || item === undefined) return;
    this.#items.delete(id);
    // Only once it has its place in the tree is it known what stands beside it.
    const siblings = item.kind === "user" || item.kind === "assistant" ? this.#siblings(entryId) : undefined;
    this.#send([
      { op: "item.renamed", id, newId: entryId },
      {
        op: "item.upsert",
        item: { ...item, id: entryId, saved: true, ...(siblings === undefined ? {} : { siblings }) } as TranscriptItem,
      },
    ]);
  }
}
