// Sessions that are compacted, branched, edited and moved between models at random: the checking server must never find
// thinking whose conversation has changed, and must still be sent the thinking that holds.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AssistantMessage, emptyUsage, type Message } from "../../src/core/llm/messages.ts";
import type { LlmContext } from "../../src/core/llm/stream.ts";
import { previewRequest } from "../../src/providers/request-preview.ts";
import { checkBinding, signThinking } from "../support/model-server-accounting.ts";
import { parseBody } from "../support/model-server-parse.ts";
import { contextOf, modelFor, result, user } from "../support/provider-fixture.ts";

type Step =
  | { do: "reply"; calls: number; thoughts: number }
  | { do: "prompt"; text: string }
  | { do: "compact"; keep: number }
  | { do: "goBack"; to: number }
  | { do: "edit"; at: number }
  | { do: "switchModel" | "changeSystem" | "changeTools" | "stop" | "fail" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("reply" as const), calls: fc.nat(2), thoughts: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("prompt" as const), text: fc.string({ maxLength: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compact" as const), keep: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("goBack" as const), to: fc.nat(10) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("edit" as const), at: fc.nat(10) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "switchModel" as const,
        "changeSystem" as const,
        "changeTools" as const,
        "stop" as const,
        "fail" as const,
      ),
    }),
  },
);

class Session {
  context: LlmContext = contextOf([user("begin")]);
  model = modelFor("anthropic-messages", "http://localhost");
  #serial = 0;
  sent = 0;

  take(next: Step): void {
    const messages = [...this.context.messages];
    switch (next.do) {
      case "reply":
        messages.push(...this.#reply(next.calls, next.thoughts));
        break;
      case "prompt":
        messages.push(user(`prompt ${next.text}`));
        break;
      case "compact":
        messages.splice(0, Math.max(0, messages.length - next.keep), user(`<summary>\n${messages.length}\n</summary>`));
        break;
      case "goBack":
        messages.length = Math.min(messages.length, next.to + 1);
        break;
      case "edit":
        if (messages[next.at]?.role === "user") messages[next.at] = user(`edited ${this.#serial}`);
        break;
      case "switchModel":
        this.model = { ...this.model, id: this.model.id === "test-model" ? "other-model" : "test-model" };
        break;
      case "changeSystem":
        this.context = { ...this.context, systemPrompt: `${this.context.systemPrompt}!` };
        break;
      case "changeTools":
        this.context = { ...this.context, tools: this.context.tools.length > 0 ? [] : contextOf([]).tools };
        break;
      default:
        messages.push(
          this.#assistant(
            [
              { type: "thinking", thinking: "cut", thinkingSignature: "" },
              { type: "text", text: "half" },
            ],
            undefined,
            next.do === "stop" ? "aborted" : "error",
          ),
        );
    }
    this.context = { ...this.context, messages };
  }

  /** What the server would answer to the request that is due now; throws where it would refuse that. */
  #reply(calls: number, thoughts: number): Message[] {
    const { body, history } = previewRequest(this.model, this.context, { thinkingLevel: "high" });
    const parsed = parseBody("anthropic-messages", JSON.parse(JSON.stringify(body)), "default");
    expect(checkBinding(this.model.id, parsed.blocks)).toEqual({ foreign: [], mismatched: [] });
    this.sent += parsed.blocks.filter(({ thinking }) => thinking !== undefined).length;
    const content: AssistantMessage["content"] = [];
    for (let i = 0; i < thoughts; i++) {
      const thinking = `thought ${this.#serial}.${i}`;
      content.push({
        type: "thinking",
        thinking,
        thinkingSignature: signThinking(this.model.id, parsed.blocks, thinking),
      });
    }
    content.push({ type: "text", text: `reply ${this.#serial}` });
    const ids = Array.from({ length: calls }, (_, i) => `call_${i}`);
    content.push(...ids.map((id) => ({ type: "toolCall" as const, id, name: "read", arguments: {} })));
    this.#serial++;
    return [
      this.#assistant(content, history.prefixHash, calls > 0 ? "toolUse" : "stop"),
      ...ids.map((id) => result(id, `result ${this.#serial}`)),
    ];
  }

  #assistant(
    content: AssistantMessage["content"],
    prefixHash: string | undefined,
    stopReason: AssistantMessage["stopReason"],
  ): AssistantMessage {
    const { api, provider, id } = this.model;
    return {
      role: "assistant",
      content,
      api,
      provider,
      model: id,
      usage: emptyUsage(),
      stopReason,
      timestamp: 1,
      ...(prefixHash === undefined ? {} : { prefixHash }),
    };
  }
}

describe("thinking and its conversation", () => {
  it("agree in every request of any session", () => {
    let sent = 0;
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 25 }), (steps) => {
        const session = new Session();
        for (const next of steps) session.take(next);
        session.take({ do: "reply", calls: 0, thoughts: 0 });
        sent += session.sent;
      }),
      { numRuns: 500 },
    );
    // The easy way to agree would be to send none.
    expect(sent).toBeGreaterThan(1_000);
  });
});
