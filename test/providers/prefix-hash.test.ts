// A hash that notices every change of what it covers.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addToPrefix, PrefixHash, startPrefix } from "../../src/providers/prefix-hash.ts";
import { modelFor, READ_TOOL, result, user } from "../support/provider-fixture.ts";

const hashOf = (...texts: string[]) => {
  const hash = new PrefixHash();
  for (const text of texts) hash.update(text);
  return hash.digest();
};

describe("PrefixHash", () => {
  it("differs where the texts, their order or their borders differ", () => {
    expect(hashOf("ab", "c")).not.toBe(hashOf("a", "bc"));
    expect(hashOf("a", "b")).not.toBe(hashOf("b", "a"));
    expect(hashOf("")).not.toBe(hashOf());
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.string({ unit: "binary" }),
        (a, b) => (hashOf(a) === hashOf(b)) === (a === b),
      ),
      { numRuns: 2_000 },
    );
  });

  it("has no two alike among many near ones", () => {
    const seen = new Set<string>();
    for (let i = 0; i < 200_000; i++) seen.add(hashOf(`message ${i}`));
    expect(seen.size).toBe(200_000);
  });

  it("goes on after being read", () => {
    const hash = new PrefixHash();
    hash.update("a");
    hash.digest();
    hash.update("b");
    expect(hash.digest()).toBe(hashOf("a", "b"));
  });

  it("covers model, system prompt, tools and what is sent of messages, and not their times", () => {
    const model = modelFor("anthropic-messages", "http://localhost");
    const start = (changes = {}, system = "s", tools = [READ_TOOL]) =>
      startPrefix({ ...model, ...changes }, system, tools).digest();
    const all = [
      start(),
      start({ id: "other" }),
      start({ provider: "other" }),
      start({}, "t"),
      start({}, "s", []),
      start({}, "s", [{ ...READ_TOOL, description: "x" }]),
    ];
    expect(new Set(all).size).toBe(all.length);
    const hashAfter = (message: Parameters<typeof addToPrefix>[1]) => {
      const hash = startPrefix(model, "s", []);
      addToPrefix(hash, message);
      return hash.digest();
    };
    expect(hashAfter(user("a", 1))).toBe(hashAfter(user("a", 2)));
    expect(hashAfter(user("a"))).not.toBe(hashAfter(user("b")));
    expect(hashAfter(result("c1", "x"))).not.toBe(hashAfter(result("c2", "x")));
    expect(hashAfter(result("c1", "x"))).not.toBe(hashAfter(result("c1", "x", true)));
  });
});
