import { describe, expect, it, vi } from "vitest";

vi.mock("vscode", () => import("../support/fake-vscode.ts"));

import { forkName } from "../../src/vscode/fork-name.ts";

describe("the name of a fork", () => {
  it("tells it from its source and from other forks", () => {
    expect(forkName("Garden", new Set(["Garden"]))).toBe("Garden (fork)");
    expect(forkName("Garden", new Set(["Garden", "Garden (fork)"]))).toBe("Garden (fork 2)");
    expect(forkName("Garden", new Set(["Garden (fork)", "Garden (fork 2)"]))).toBe("Garden (fork 3)");
  });

  it("counts on for a fork of a fork", () => {
    expect(forkName("Garden (fork)", new Set(["Garden", "Garden (fork)"]))).toBe("Garden (fork 2)");
    expect(forkName("Garden (Abzweig 7)", new Set())).toBe("Garden (fork)");
  });
});
