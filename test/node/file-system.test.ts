import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeFileSystem as fs } from "../../src/node/file-system.ts";
import { createIds } from "../../src/node/ids.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "coppice-fs-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("files on the machine", () => {
  it("are made for their owner alone, and never over another", async () => {
    const path = join(folder, "a");
    await (await fs.open(path, "create")).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(fs.open(path, "create")).rejects.toMatchObject({ code: "EEXIST" });
  });

  it("are appended to, read by position and told apart by identity", async () => {
    const path = join(folder, "a");
    const file = await fs.open(path, "create");
    expect(await file.append(Buffer.from("hello "))).toBe(6);
    expect(await file.append(Buffer.from("world"))).toBe(5);
    await file.sync();
    const reader = await fs.open(path, "read");
    expect(Buffer.from(await reader.read(6, 100)).toString()).toBe("world");
    expect((await reader.stat()).identity).toBe((await fs.stat(path))?.identity);
    await fs.writeFileAtomic(path, Buffer.from("other"));
    expect((await reader.stat()).identity).not.toBe((await fs.stat(path))?.identity);
    expect(Buffer.from(await reader.read(0, 5)).toString()).toBe("hello");
    await Promise.all([file.close(), reader.close(), reader.close()]);
  });

  it("read large ranges into what they are given", async () => {
    const path = join(folder, "a");
    writeFileSync(path, Buffer.alloc(400_000, 7));
    const reader = await fs.open(path, "read");
    const into = new Uint8Array(300_000);
    const bytes = await reader.read(0, 300_000, into);
    expect(bytes.length).toBe(300_000);
    expect(bytes.every((byte) => byte === 7)).toBe(true);
    await reader.close();
  });

  it("appear whole or not at all", async () => {
    const path = join(folder, "a");
    await fs.writeFileAtomic(path, Buffer.from("one"));
    await fs.writeFileAtomic(path, Buffer.from("two"));
    expect(readFileSync(path, "utf8")).toBe("two");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await expect(fs.writeFileAtomic(join(folder, "no", "a"), Buffer.from("x"))).rejects.toMatchObject({
      code: "ENOENT",
    });
    expect((await fs.list(folder)).map((item) => item.name)).toEqual(["a"]);
  });

  it("are listed with their kind, and a folder that is not there has none", async () => {
    await fs.makeDirectory(join(folder, "x", "y"));
    writeFileSync(join(folder, "f"), "");
    symlinkSync(join(folder, "f"), join(folder, "l"));
    const list = (await fs.list(folder)).sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(list).toEqual([
      { name: "f", kind: "file" },
      { name: "l", kind: "link" },
      { name: "x", kind: "directory" },
    ]);
    expect(await fs.list(join(folder, "none"))).toEqual([]);
    expect(await fs.stat(join(folder, "none"))).toBeUndefined();
    expect((await fs.stat("/dev/null"))?.kind).toBe("other");
  });
});

describe("ids", () => {
  it("of sessions are UUIDs of version 7 that carry the time", () => {
    const id = createIds({ now: () => 0x0123456789ab }).sessionId();
    expect(id).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
  it("of entries are eight hex digits, and longer where all seem taken", () => {
    const ids = createIds({ now: () => 0 });
    expect(ids.entryId(() => false)).toMatch(/^[0-9a-f]{8}$/);
    expect(ids.entryId((id) => id.length === 8)).toMatch(/^[0-9a-f-]{36}$/);
  });
});
