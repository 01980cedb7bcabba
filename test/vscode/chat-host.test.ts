import { describe, expect, it, vi } from "vitest";

vi.mock("vscode", () => import("../support/fake-vscode.ts"));

import type { ToWebview } from "../../src/protocol/to-webview.ts";
import { ChatHost, type ChatHostServices } from "../../src/vscode/chat-host.ts";
import type { FrameInput } from "../../src/vscode/chat-state.ts";

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A page that is up, while `decide` was not called yet. */
function page(isTab: boolean) {
  let decide = () => {};
  const decided = new Promise<void>((resolve) => {
    decide = resolve;
  });
  const posted: ToWebview[] = [];
  let hear: (message: unknown) => void = () => {};
  const webview = {
    onDidReceiveMessage: (listener: typeof hear) => {
      hear = listener;
      return { dispose: () => {} };
    },
    postMessage: async (message: ToWebview) => posted.push(message) > 0,
  };
  const input = {
    configuration: { approvalsMode: () => "ask", askSummary: () => "ask" },
    defaultThinking: { level: "off", levels: [] },
    attachments: [],
    slashCommands: [],
  };
  const services = { decided, shown: () => {}, strings: {}, frameInput: () => input as unknown as FrameInput };
  const host = new ChatHost(webview as never, services as unknown as ChatHostServices, isTab);
  host.bind(undefined);
  hear({ type: "view.ready" });
  return { host, posted, decide, hear };
}

describe("a page that comes up with the window", () => {
  it("is told nothing until it is decided which session it shows, and then once", async () => {
    const { host, posted, decide, hear } = page(false);
    await settled();
    hear({ type: "view.ready" });
    host.bind(undefined);
    await settled();
    expect(posted).toEqual([]);
    decide();
    await settled();
    expect(posted.map(({ type }) => type)).toEqual(["state.snapshot"]);
  });

  it("of a tab knows its session and does not wait", async () => {
    const { posted } = page(true);
    await settled();
    expect(posted.map(({ type }) => type)).toEqual(["state.snapshot"]);
  });
});
