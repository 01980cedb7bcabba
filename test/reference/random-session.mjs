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

const usage = () => ({
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});

export function message(kind, n) {
  if (kind === "user") return { role: "user", content: `user ${n}`, timestamp: n };
  if (kind === "result") {
    return {
      role: "toolResult",
      toolCallId: `c${n}`,
      toolName: "read",
      content: [{ type: "text", text: `result ${n}` }],
      isError: n % 3 === 0,
      timestamp: n,
    };
  }
  const content = [{ type: "text", text: `answer ${n}` }];
  if (n % 4 === 0) content.push({ type: "toolCall", id: `c${n}`, name: "read", arguments: { path: `${n}.ts` } });
  return {
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "p",
    model: `m${n % 3}`,
    usage: usage(),
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
