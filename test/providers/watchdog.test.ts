// Limits on bytes, whatever the frames say.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { isLocalUrl, limitsFor, Watchdog, WatchdogError } from "../../src/providers/watchdog.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(write: (send: (text: string) => void, end: () => void) => void): Promise<string> {
  server = createServer((_, response) => {
    response.writeHead(200);
    response.flushHeaders();
    write(
      (text) => void response.write(text),
      () => response.end(),
    );
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Long, so that on a busy machine only the limit ends a request that a test shortens. */
const limits = { firstByteMs: 30_000, idleMs: 30_000, maxBytes: 1_000, maxLineBytes: 400 };
const read = async (url: string, changes = {}) => {
  const watchdog = new Watchdog({ ...limits, ...changes });
  const response = await watchdog.fetch(url, { signal: new AbortController().signal });
  return response.text();
};

describe("Watchdog", () => {
  it("counts headers for nothing: a body that never begins ends at the first-byte limit", async () => {
    const url = await serve(() => undefined);
    await expect(read(url, { firstByteMs: 60 })).rejects.toMatchObject({ name: "WatchdogError", limit: "firstByte" });
  });

  it("ends a body that stalls", async () => {
    const url = await serve((send) => send("begin"));
    await expect(read(url, { idleMs: 60 })).rejects.toMatchObject({ limit: "idle" });
  });

  it("lets an answer take as long as it likes while bytes come", async () => {
    const url = await serve((send, end) => {
      let count = 0;
      const timer = setInterval(() => {
        send("x");
        if (++count === 20) {
          clearInterval(timer);
          end();
        }
      }, 60);
    });
    expect(await read(url, { firstByteMs: 1_000, idleMs: 1_000 })).toBe("x".repeat(20));
  });

  it("ends what is too large, as a whole or in one line", async () => {
    const lines = await serve((send) => send("0123456789\n".repeat(200)));
    await expect(read(lines)).rejects.toMatchObject({ limit: "size" });
    server?.close();
    const line = await serve((send) => send("x".repeat(500)));
    await expect(read(line)).rejects.toMatchObject({ limit: "size" });
  });

  it("passes the caller's abort on", async () => {
    const url = await serve((send) => send("begin"));
    const abort = new AbortController();
    const watchdog = new Watchdog(limits);
    const response = await watchdog.fetch(url, { signal: abort.signal });
    abort.abort();
    await expect(response.text()).rejects.not.toBeInstanceOf(WatchdogError);
  });
});

describe("limitsFor", () => {
  it("gives local servers ten minutes and others two, unless told otherwise", () => {
    expect(limitsFor("http://127.0.0.1:11434").firstByteMs).toBe(600_000);
    expect(limitsFor("https://api.anthropic.com").firstByteMs).toBe(120_000);
    expect(limitsFor("https://api.anthropic.com", { idleTimeoutMs: 5 }).idleMs).toBe(5);
  });

  it.each([
    ["http://localhost:1/", true],
    ["http://[::1]:1/", true],
    ["http://192.168.1.5/v1", true],
    ["http://10.0.0.1", true],
    ["http://172.16.0.1", true],
    ["http://box.local", true],
    ["http://172.32.0.1", false],
    ["https://localhost.example.com", false],
    ["not a url", false],
  ])("knows that %s is local: %s", (url, local) => {
    expect(isLocalUrl(url)).toBe(local);
  });
});
