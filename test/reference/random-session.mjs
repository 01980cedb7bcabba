// Random operations, the same for every reader: a list of steps that each side plays with its own calls.

export function numbers(seed) {
  let state = (seed * 2654435761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Reported by some replies, left at zero by others, in total or in parts. */
const usage = (n) => ({
  input: n % 5 === 0 ? 0 : n,
  output: n % 5 === 0 ? 0 : 1,
  cacheRead: n % 5 === 0 ? 0 : n % 4,
  cacheWrite: 0,
  totalTokens: n % 5 === 0 || n % 3 === 0 ? 0 : n + 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});

export function message(kind, n) {
  // Sizes differ, so that cuts fall everywhere.
  const filling = "word ".repeat((n * 7) % 23);
  if (kind === "user") {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" };
    const text = `user ${n} ${filling}`;
    return { role: "user", content: n % 11 === 0 ? [{ type: "text", text }, image] : text, timestamp: n };
  }
  if (kind === "result") {
    return {
      role: "toolResult",
      toolCallId: `c${n}`,
      toolName: "read",
      content: [{ type: "text", text: `result ${n} ${filling}` }],
      isError: n % 3 === 0,
      timestamp: n,
    };
  }
  const content = [{ type: "text", text: `answer ${n} ${filling}` }];
  if (n % 6 === 0) content.unshift({ type: "thinking", thinking: `thought ${n}` });
  if (n % 4 === 0)
    content.push({
      type: "toolCall",
      id: `c${n}`,
      name: ["read", "edit", "write"][n % 3],
      arguments: { path: `${n % 20}.ts` },
    });
  return {
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "p",
    model: `m${n % 3}`,
    usage: usage(n),
    stopReason: n % 7 === 0 ? "error" : "stop",
    timestamp: n,
  };
}

/** One step: a name and a number that chooses among entries. */
export function steps(random, count) {
  const kinds = [
    "user",
    "assistant",
    "result",
    "user",
    "assistant",
    "thinking",
    "model",
    "compact",
    "undo",
    "move",
    "move",
    "summary",
    "label",
    "unlabel",
    "name",
    "custom",
    "customMessage",
    "edit",
    "omit",
  ];
  const list = [{ kind: "user", n: 1, pick: 0 }];
  for (let n = 2; n <= count; n++) list.push({ kind: kinds[Math.floor(random() * kinds.length)], n, pick: random() });
  return list;
}
