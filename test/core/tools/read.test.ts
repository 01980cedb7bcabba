import { execFileSync } from "node:child_process";
import { closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ToolWorld, toolWorld } from "../../support/tool-world.ts";

let world: ToolWorld;
beforeEach(() => {
  world = toolWorld();
});
afterEach(() => world.dispose());
const put = (name: string, content: string | Buffer) => writeFileSync(join(world.root, name), content);

describe("read", () => {
  it("shows lines from an offset and says how to go on", async () => {
    put("a.txt", Array.from({ length: 3000 }, (_, i) => `line ${i + 1}`).join("\n"));
    const first = await world.run("read", { path: "a.txt" });
    expect(first.text).toContain("line 2000\n");
    expect(first.text).not.toContain("line 2001\n");
    expect(first.text).toContain("[Lines 1 to 2000 shown; go on with offset 2001.]");
    const rest = await world.run("read", { path: "a.txt", offset: 2999 });
    expect(rest.text).toBe("line 2999\nline 3000");
    await expect(world.run("read", { path: "a.txt", offset: 5000 })).rejects.toThrow("there is no line 5000");
  });

  it("cuts at 50 KB on a character, and a single endless line as well", async () => {
    put("wide.txt", "é".repeat(200_000));
    const { text } = await world.run("read", { path: "wide.txt" });
    expect(Buffer.byteLength(text)).toBeLessThan(110 * 1024);
    expect(text.isWellFormed()).toBe(true);
    expect(text).toContain("shown; go on");
  });

  it("reads empty files, CRLF, byte-order marks and text without a last newline", async () => {
    put("empty", "");
    put("crlf", "\ufeffa\r\nb\r\n");
    expect((await world.run("read", { path: "empty" })).text).toBe("");
    expect((await world.run("read", { path: "crlf" })).text).toBe("a\nb");
  });

  it("shows no control bytes: a file cannot speak to a terminal", async () => {
    put("esc.txt", "a\u001b[31mred\u001b]52;c;AAAA\u0007\u0008b\u009b\tc\nd");
    const { text } = await world.run("read", { path: "esc.txt" });
    expect(text).toBe("a[31mred]52;c;AAAAb\tc\nd");
  });

  it("tells binary from text, also where a character ends behind the sample", async () => {
    put("b.bin", Buffer.from([0x89, 0x50, 0, 0x1a]));
    put("bad.txt", Buffer.from([0x61, 0xff, 0xfe, 0x62]));
    put("edge.txt", `${"a".repeat(256 * 1024 - 1)}ç\nnext`);
    expect((await world.run("read", { path: "b.bin" })).text).toContain("binary file");
    expect((await world.run("read", { path: "bad.txt" })).text).toContain("binary file");
    expect((await world.run("read", { path: "edge.txt", offset: 2 })).text).toBe("next");
  });

  it("looks at images, and names the size of one that providers refuse", async () => {
    put("small.png", Buffer.from("89504e470d0a1a0a", "hex"));
    put("large.jpg", Buffer.alloc(4 * 1024 * 1024));
    expect((await world.run("read", { path: "small.png" })).images).toBe(1);
    const large = await world.run("read", { path: "large.jpg" });
    expect(large.images).toBe(0);
    expect(large.text).toContain("too large");
  });

  it("opens nothing but regular files", async () => {
    execFileSync("mkfifo", [join(world.root, "pipe"), join(world.root, "pipe.png")]);
    symlinkSync("/dev/zero", join(world.root, "zero"));
    mkdirSync(join(world.root, "folder"));
    await expect(world.run("read", { path: "pipe" })).rejects.toThrow("not a regular file");
    await expect(world.run("read", { path: "pipe.png" })).rejects.toThrow("not a regular file");
    for (const path of ["/dev/zero", "zero", "/proc/self/environ", "/sys/kernel/notes"]) {
      await expect(world.run("read", { path })).rejects.toThrow(/not a regular file/);
    }
    await expect(world.run("read", { path: "folder" })).rejects.toThrow("is a folder");
    await expect(world.run("read", { path: "gone" })).rejects.toThrow("no file");
  });

  it("reads what is wanted of a sparse file of 50 GB, and no more", async () => {
    const file = openSync(join(world.root, "huge.txt"), "w");
    writeSync(file, `${"first\n".repeat(50_000)}`);
    ftruncateSync(file, 50 * 1024 ** 3);
    closeSync(file);
    const before = process.memoryUsage().rss;
    expect((await world.run("read", { path: "huge.txt", limit: 2 })).text).toContain("first\nfirst");
    await expect(world.run("read", { path: "huge.txt", offset: 60_000 })).rejects.toThrow("too long to pass");
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 1024 * 1024);
  });

  it("asks before it reads outside the workspace, and shows where that is", async () => {
    writeFileSync(join(world.outside, "secret"), "s");
    symlinkSync(join(world.outside, "secret"), join(world.root, "innocent.txt"));
    expect(await world.propose("read", { path: "a.txt" })).toBeUndefined();
    const proposal = await world.propose("read", { path: "innocent.txt" });
    expect(proposal).toMatchObject({ path: join(world.outside, "secret") });
    expect(proposal?.warnings[0]).toContain(join(world.outside, "secret"));
    expect(proposal?.sessionKey).toBeUndefined();
  });
});
