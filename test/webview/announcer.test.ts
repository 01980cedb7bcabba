import { describe, expect, it } from "vitest";
import { describeChange } from "../../src/webview/announcer.ts";
import { bannersOf } from "../../src/webview/banners.ts";
import { commandApproval, emptyChat, reply, tool } from "./support/chat-samples.ts";

describe("what a screen reader is told", () => {
  it("is nothing while text streams", () => {
    const before = emptyChat({ phase: "turn", items: [reply("a1", "He", { streaming: true })] });
    const after = emptyChat({ phase: "turn", items: [reply("a1", "Hello", { streaming: true })] });
    expect(describeChange(before, after)).toEqual({ polite: [], urgent: "" });
  });

  it("is the start, the end and a failed tool", () => {
    expect(describeChange(emptyChat(), emptyChat({ phase: "turn" })).polite).toEqual(["Coppice is working"]);
    expect(describeChange(emptyChat({ phase: "turn" }), emptyChat()).polite).toEqual(["Coppice has finished"]);
    const running = emptyChat({ items: [tool("t1", "bash", "ls", { status: "running" })] });
    const failed = emptyChat({ items: [tool("t1", "bash", "ls", { status: "error" })] });
    expect(describeChange(running, failed).polite).toEqual(["bash failed"]);
  });

  it("is a compaction only where there is one, not where it is looked whether one is due", () => {
    const looking = emptyChat({ phase: "compaction" });
    const compacting = emptyChat({ phase: "compaction", progress: { text: "Compacting…", cancellable: true } });
    expect(describeChange(emptyChat(), looking).polite).toEqual(["Coppice is working"]);
    expect(describeChange(looking, emptyChat({ phase: "turn" })).polite).toEqual([]);
    expect(describeChange(looking, compacting).polite).toEqual(["Compacting"]);
    expect(describeChange(compacting, emptyChat()).polite).toEqual(["Compaction finished"]);
  });

  it("is urgent for an approval, once", () => {
    const asking = emptyChat({ approvals: [commandApproval] });
    expect(describeChange(emptyChat(), asking).urgent).toBe("Approval needed: Run a command");
    expect(describeChange(asking, { ...asking }).urgent).toBe("");
  });

  it("is silent when another session is opened", () => {
    const other = emptyChat({ session: { id: "s2", title: "", fromPi: false }, phase: "turn" });
    expect(describeChange(emptyChat(), other).polite).toEqual([]);
  });
});

describe("the banners", () => {
  it("say nothing in an ordinary session", () => {
    expect(bannersOf(emptyChat())).toEqual([]);
  });

  it("put what was not saved first", () => {
    const session = { id: "s", title: "", fromPi: false, unsavedReason: "disk full", readOnlyReason: "too new" };
    const banners = bannersOf(emptyChat({ session, trusted: false, hasWorkspace: false }));
    expect(banners.map((one) => one.level)).toEqual(["error", "warning", "info", "info"]);
    expect(banners[0]!.text).toContain("disk full");
  });
});
