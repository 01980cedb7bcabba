// Sessions in a MemoryFileSystem, and lines of session files as text.
import { JsonlSessionRepo } from "../../src/core/session/jsonl-repo.ts";
import type { Session } from "../../src/core/session/session.ts";
import { MemoryFileSystem } from "./memory-file-system.ts";
import { countingClock, countingIds } from "./session-builder.ts";

export const CWD = "/work/project";
export const FILE = "/s.jsonl";

export function testRepo(fs = new MemoryFileSystem(), verify = false) {
  const clock = countingClock();
  const ids = countingIds();
  const trashed: string[] = [];
  const repo = new JsonlSessionRepo({
    fs,
    clock,
    ids,
    verify,
    root: "/sessions",
    trash: async (path) => {
      trashed.push(path);
      await fs.remove(path);
    },
  });
  return { fs, repo, clock, ids, trashed };
}

/** Opens a file with the given content. */
export async function openText(content: string | Uint8Array, verify = false) {
  const world = testRepo(undefined, verify);
  world.fs.write(FILE, content);
  const session = await world.repo.open(FILE);
  return { ...world, session };
}

export const HEADER = JSON.stringify({
  type: "session",
  version: 3,
  id: "s1",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: CWD,
});

export function line(type: string, id: string, parentId: string | null, extra: Record<string, unknown> = {}): string {
  return JSON.stringify({ type, id, parentId, timestamp: "2026-01-01T00:00:00.000Z", ...extra });
}
export function userLine(id: string, parentId: string | null, text = id): string {
  return line("message", id, parentId, { message: { role: "user", content: text, timestamp: 1 } });
}
export function file(...lines: string[]): string {
  return `${[HEADER, ...lines].join("\n")}\n`;
}

/** The texts that the model would be sent, one per message. */
export async function contextTexts(session: Session, leafId?: string | null): Promise<string[]> {
  const context = await (leafId === undefined ? session.buildContext() : session.buildContext(leafId));
  return context.messages.map((message) => {
    if ("summary" in message) return `<${message.summary}>`;
    if (!("content" in message)) return message.role;
    return typeof message.content === "string"
      ? message.content
      : message.content.map((p) => ("text" in p ? p.text : p.type)).join("");
  });
}
