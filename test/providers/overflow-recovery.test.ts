import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { streamFunctionFor } from "../../src/providers/registry.ts";
import { modelFor } from "../support/provider-fixture.ts";
import { testHarness } from "../support/scripted-model.ts";

/** What servers say when the context is full (providers §4), as a Chat Completions server would answer. */
const OVERFLOWS: [string, number, unknown][] = [
  ["prompt is too long: 213462 tokens > 200000 maximum", 400, undefined],
  ["input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000", 400, undefined],
  ["request_too_large: Request exceeds the maximum size", 413, undefined],
  ["Your input exceeds the context window of this model.", 400, undefined],
  ["Input tokens exceed the configured limit of 272000 tokens.", 400, undefined],
  ["exceeded max prompt tokens 128000", 400, undefined],
  ["This model's maximum context length is 262144 tokens. However, you requested 0 output tokens.", 400, undefined],
  ["This endpoint's context window exceeded", 400, undefined],
  ["The model's context length is only 8192 tokens.", 400, undefined],
  ["the request exceeds the available context size, try increasing it", 400, undefined],
  ["The number of tokens to keep from the initial prompt is greater than the context length", 400, undefined],
  ["Context size has been exceeded.", 400, undefined],
  ["prompt too long; exceeded max context length by 12 tokens", 400, undefined],
  ["The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).", 400, undefined],
  ["Input is too long for requested model.", 400, undefined],
  ["prompt token count of 140000 exceeds the limit of 128000", 400, undefined],
  ["This model's maximum prompt length is 131072 but the request contains 140000 tokens.", 400, undefined],
  ["Please reduce the length of the messages or completion.", 400, undefined],
  [
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    400,
    undefined,
  ],
  ["The input is longer than the model's context length", 400, undefined],
  ["Your request exceeded model token limit: 131072", 400, undefined],
  ["invalid params, context window exceeds limit (2013)", 400, undefined],
  ["Range of input length should be [1, 129024]", 400, undefined],
  [
    "exceed_context_size_error",
    400,
    {
      error: {
        code: 400,
        message: "the prompt is too big",
        type: "exceed_context_size_error",
        n_prompt_tokens: 180283,
        n_ctx: 180224,
      },
    },
  ],
];

/** What they say when it is not full, only too much at once. */
const RATE_LIMITS: [string, number][] = [
  ["Rate limit reached: tokens per minute (TPM): Limit 30000, Used 29000", 429],
  ["Too many tokens, please wait before trying again.", 429],
  ["This request would exceed your organization's rate limit of 40,000 input tokens per minute", 429],
];

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A server that refuses conversations with an answer, as often as told, and writes summaries. */
async function startServer(refusals: number, status: number, body: unknown) {
  let asked = 0;
  let summaries = 0;
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const tools = (JSON.parse(text) as { tools?: unknown[] }).tools ?? [];
    const summary = text.includes("hand-over notes") && tools.length === 0;
    if (summary) summaries++;
    else asked++;
    if (!summary && asked <= refusals) {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      return;
    }
    const said = summary ? "## Goal\nGo on.\n\n## Constraints & Preferences\n- (none)" : "fine";
    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${chunk({ role: "assistant", content: said }, null)}${chunk({}, "stop")}data: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get asked() {
      return asked;
    },
    get summaries() {
      return summaries;
    },
    forget() {
      asked = 0;
    },
  };
}

/** A session with some turns behind it, so that there is something to compact. */
async function conversation(server: { url: string }) {
  const model = modelFor("openai-completions", server.url, { contextWindow: 200_000 });
  const setup = testHarness({
    model,
    overrides: {
      findModel: () => model,
      access: {
        streamFunctionFor: (wanted) => streamFunctionFor(wanted.api),
        getApiKey: async () => "k",
        freshRoutingId: () => "fresh",
        sleep: async () => {},
        now: () => Date.now(),
      },
    },
  });
  return setup;
}

describe.each(OVERFLOWS)("“%s”", (wording, status, given) => {
  const body = given ?? { error: { message: wording, type: "invalid_request_error", code: null } };
  it("leads to one compaction and one retry, and then to an answer or a clear end", async () => {
    for (const refusals of [1, 99]) {
      let refuse = 0;
      const server = await startServer(0, status, body);
      const { harness, session, events } = await conversation(server);
      for (const turn of ["one", "two", "three"]) await harness.prompt(`${turn} ${"word ".repeat(200)}`);
      const refusing = await startServer(refusals, status, body);
      refuse = refusals;
      await harness.setModel(modelFor("openai-completions", refusing.url, { contextWindow: 200_000 }));
      await harness.prompt("four");
      const compactions = (await session.getBranch()).filter((entry) => entry.type === "compaction").length;
      expect([refusing.asked, compactions]).toEqual([2, 1]);
      const failed = events.some((event) => event.type === "run_failed");
      expect(failed).toBe(refuse > 1);
      expect(harness.phase).toBe("idle");
    }
  });
});

describe.each(RATE_LIMITS)("“%s”", (wording, status) => {
  it("is waited for and tried again, and compacts nothing", async () => {
    const server = await startServer(99, status, { error: { message: wording, type: "rate_limit_error" } });
    const { harness, session } = await conversation(server);
    await harness.prompt("go");
    expect(server.asked).toBe(4);
    expect(server.summaries).toBe(0);
    expect((await session.getBranch()).some((entry) => entry.type === "compaction")).toBe(false);
  });
});
