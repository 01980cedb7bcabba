// Which result answers which call, in histories where ids repeat, results are missing, doubled or out of place.
import { type Message, type ToolResultMessage, toolCallsOf } from "../core/llm/messages.ts";
import { callsAreVoid } from "../core/llm/never-sent.ts";

interface OpenCall {
  id: string;
  owner: number;
  slot: number;
}

/**
 * For each assistant message, by position in the list, its results in the order of its calls; undefined where a call
 * has none. A result belongs to the nearest call before it with its id that has no result yet (ids of some servers
 * begin anew with each turn), else to the nearest after it. What remains is a duplicate or an orphan.
 */
export function pairResults(messages: readonly Message[]): Map<number, (ToolResultMessage | undefined)[]> {
  const paired = new Map<number, (ToolResultMessage | undefined)[]>();
  const callsById = new Map<string, OpenCall[]>();
  const orphans: { position: number; result: ToolResultMessage }[] = [];
  for (const [position, message] of messages.entries()) {
    if (message.role === "assistant" && !callsAreVoid(message)) {
      const calls = toolCallsOf({ ...message, content: message.content ?? [] });
      if (calls.length === 0) continue;
      paired.set(position, new Array<undefined>(calls.length).fill(undefined));
      for (const [slot, { id }] of calls.entries()) {
        const list = callsById.get(id) ?? [];
        list.push({ id, owner: position, slot });
        callsById.set(id, list);
      }
    } else if (message.role === "toolResult" && !answer(paired, callsById.get(message.toolCallId), message)) {
      orphans.push({ position, result: message });
    }
  }
  // Only where no call before was open: a result that stands ahead of its call.
  for (const { position, result } of orphans) {
    const later = callsById.get(result.toolCallId)?.filter((call) => call.owner > position);
    const earlier = callsById.get(result.toolCallId)?.some((call) => call.owner < position) ?? false;
    if (!earlier && later !== undefined) {
      const next = later.find((call) => paired.get(call.owner)?.[call.slot] === undefined);
      if (next !== undefined) (paired.get(next.owner) ?? [])[next.slot] = result;
    }
  }
  return paired;
}

/** Gives the result to the newest message with an open call of its id, and there to the first such call. */
function answer(
  paired: Map<number, (ToolResultMessage | undefined)[]>,
  calls: readonly OpenCall[] | undefined,
  result: ToolResultMessage,
): boolean {
  // Only the newest message with this id is asked: a second result must not answer an older turn's open call.
  const newest = calls?.at(-1)?.owner;
  let open: OpenCall | undefined;
  for (let i = (calls?.length ?? 0) - 1; i >= 0 && calls?.[i]?.owner === newest; i--) {
    const call = calls?.[i];
    if (call !== undefined && paired.get(call.owner)?.[call.slot] === undefined) open = call;
  }
  if (open === undefined) return false;
  (paired.get(open.owner) ?? [])[open.slot] = result;
  return true;
}
