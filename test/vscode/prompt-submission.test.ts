import { describe, expect, it, vi } from "vitest";
import type { ToWebview } from "../../src/protocol/to-webview.ts";
import type { ChatHost } from "../../src/vscode/chat-host.ts";
import type { OpenSession } from "../../src/vscode/open-session.ts";
import { PromptSubmission, type SubmissionServices } from "../../src/vscode/prompt-submission.ts";

vi.mock("vscode", () => import("../support/fake-vscode.ts"));

/** A session whose prompts wait until they are taken, and a page that notes the answers. */
function world() {
  const prompts: { text: string; take: () => void; drop: () => void; fail: (error: Error) => void }[] = [];
  const harness = {
    model: {},
    prompt: (text: string, _images: unknown, onTaken: () => void) =>
      new Promise<void>((resolve, reject) => {
        prompts.push({
          ...{ text, drop: resolve, fail: reject },
          take: () => {
            onTaken();
            resolve();
          },
        });
      }),
  };
  const open = { phase: "idle", shownLeafId: undefined, session: {}, harness } as unknown as OpenSession;
  const answers: ToWebview[] = [];
  const host = { attachments: [], post: (message: ToWebview) => void answers.push(message) } as unknown as ChatHost;
  const submission = new PromptSubmission({
    sessions: { rememberCurrent: () => {} },
    models: {},
    expandSlash: async () => undefined,
  } as unknown as SubmissionServices);
  const send = (submitId: string) =>
    submission.submit({ type: "prompt.submit", submitId, text: "hello", mode: "steer", images: [] }, host, open);
  return { prompts, answers, send };
}
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("a message that the page sends again because no answer came", () => {
  it("is taken once, and answered again once it was taken", async () => {
    const { prompts, answers, send } = world();
    const first = send("a");
    await settled();
    await send("a");
    expect([prompts.length, answers]).toEqual([1, []]);
    prompts[0]!.take();
    await first;
    const accepted = { type: "prompt.accepted", submitId: "a" };
    expect(answers).toEqual([accepted]);
    await send("a");
    expect([prompts.length, answers]).toEqual([1, [accepted, accepted]]);
  });

  it("is taken where the first ended without an answer", async () => {
    const { prompts, answers, send } = world();
    const first = send("a");
    await settled();
    prompts[0]!.drop();
    await first;
    const again = send("a");
    await settled();
    prompts[1]!.take();
    await again;
    expect(answers).toEqual([{ type: "prompt.accepted", submitId: "a" }]);
  });

  it("is taken anew where it was refused, and so is another one", async () => {
    const { prompts, answers, send } = world();
    const first = send("a");
    await settled();
    prompts[0]!.fail(new Error("The disk is full."));
    await first;
    expect(answers).toEqual([{ type: "prompt.refused", submitId: "a", reason: "The disk is full." }]);
    for (const id of ["a", "b"]) {
      const sent = send(id);
      await settled();
      prompts.at(-1)!.take();
      await sent;
    }
    expect(prompts).toHaveLength(3);
    expect(answers.slice(1)).toEqual([
      { type: "prompt.accepted", submitId: "a" },
      { type: "prompt.accepted", submitId: "b" },
    ]);
  });
});

describe("the first message where no session is open", () => {
  const sent = async (hasFolder: boolean) => {
    const answers: ToWebview[] = [];
    const host = { attachments: [], post: (message: ToWebview) => void answers.push(message) } as unknown as ChatHost;
    const sessionActions = { hasFolder, folder: async () => undefined };
    const submission = new PromptSubmission({ sessionActions } as unknown as SubmissionServices);
    await submission.submit(
      { type: "prompt.submit", submitId: "a", text: "hello", mode: "steer", images: [] },
      host,
      undefined,
    );
    return answers;
  };

  it("comes back without a reproach where the question for the folder was closed", async () => {
    expect(await sent(true)).toEqual([{ type: "prompt.refused", submitId: "a", reason: "" }]);
  });

  it("is told that there is no folder only where there is none", async () => {
    const [answer] = await sent(false);
    expect(answer).toMatchObject({ reason: "Open a folder first: Coppice works on the files of a folder." });
  });
});
