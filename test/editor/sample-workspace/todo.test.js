import assert from "node:assert/strict";
import { test } from "node:test";

test("a list grows at its end", () => {
  const list = [{ text: "water the trees", done: false }];
  assert.equal([...list, { text: "coppice the hazel", done: false }].length, 2);
});
