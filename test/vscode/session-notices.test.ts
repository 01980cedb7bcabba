import { describe, expect, it, vi } from "vitest";

vi.mock("vscode", () => import("../support/fake-vscode.ts"));

import type { ErrorKind } from "../../src/core/llm/stream.ts";
import { adviceFor } from "../../src/vscode/session-notices.ts";

describe("what to do about a failed request", () => {
  it("is no second alarm: the reply's own row says in red what happened", () => {
    const kinds: ErrorKind[] = [
      "auth",
      "quota",
      "overflow",
      "overloaded",
      "network",
      "notFound",
      "badRequest",
      "unknown",
    ];
    for (const kind of kinds) expect(adviceFor({ kind, message: "" })?.level).toBe("info");
  });

  it("does not say that nobody answered where an error was the answer", () => {
    expect(adviceFor({ kind: "overloaded", message: "", status: 503 })?.text).toContain("answered with an error");
    expect(adviceFor({ kind: "network", message: "" })?.text).toContain("could not be reached");
    expect(adviceFor({ kind: "network", message: "", status: 200 })?.text).toContain("did not answer to the end");
  });
});
