import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ToolWorld, toolWorld } from "../../support/tool-world.ts";

const editor = join(
  homedir(),
  ".cache/coppice-dev/vscode-4.139.1/node_modules/code-server/lib/vscode/node_modules/@vscode/ripgrep-universal/bin",
  `${process.platform}-${process.arch}/rg`,
);
const programs: [string, string | undefined][] = [["without ripgrep", undefined]];
if (existsSync(editor)) programs.push(["with ripgrep", editor]);

describe.each(programs)("search %s", (_name, ripgrep) => {
  let world: ToolWorld;
  beforeEach(() => {
    world = toolWorld({ ripgrep: async () => ripgrep });
    const put = (name: string, content: string) => writeFileSync(join(world.root, name), content);
    for (const folder of ["src", "build", ".git", "node_modules"]) mkdirSync(join(world.root, folder));
    put(".gitignore", "build\nnode_modules\n");
    put("src/a.ts", "first\nneedle one\nthird\n");
    put("src/b.md", "Needle two\n");
    put("build/c.ts", "needle built\n");
    put(".git/config", "needle of git\n");
    put("node_modules/d.js", "needle of a module\n");
    put("--pre=x", "needle with a dash\n");
    put("$(id).txt", "needle $(touch marker)\n");
  });
  afterEach(() => world.dispose());

  it("finds text in what is not ignored, with file and line", async () => {
    const { text } = await world.run("grep", { pattern: "needle", literal: true });
    expect(text.split("\n").sort()).toEqual([
      "$(id).txt:1:needle $(touch marker)",
      "--pre=x:1:needle with a dash",
      "src/a.ts:2:needle one",
    ]);
    expect(existsSync(join(world.root, "marker"))).toBe(false);
  });

  it("folds case, filters by glob, shows lines around, and stops at a limit", async () => {
    const folded = await world.run("grep", { pattern: "needle", ignoreCase: true, glob: "*.{ts,md}" });
    expect(folded.text.split("\n")).toEqual(["src/a.ts:2:needle one", "src/b.md:1:Needle two"]);
    const around = await world.run("grep", { pattern: "needle one", context: 1 });
    expect(around.text).toBe("src/a.ts-1-first\nsrc/a.ts:2:needle one\nsrc/a.ts-3-third");
    const limited = await world.run("grep", { pattern: "needle", limit: 1 });
    expect(limited.text).toContain("[More matches exist; narrow the search.]");
    expect((await world.run("grep", { pattern: "absent" })).text).toBe("No matches.");
  });

  it("takes a pattern for a pattern, whatever it begins with", async () => {
    for (const pattern of ["--pre=/bin/sh", "-e", "--files", "-f/etc/passwd"]) {
      expect((await world.run("grep", { pattern, literal: true })).text).toBe("No matches.");
    }
  });

  it("cuts long lines and control bytes", async () => {
    writeFileSync(join(world.root, "long.txt"), `needle \u001b[2J${"x".repeat(2000)}\n`);
    const { text } = await world.run("grep", { pattern: "needle", path: "long.txt" });
    expect(text.length).toBeLessThan(600);
    expect(text).not.toContain("\u001b");
  });

  it("finds files by glob", async () => {
    expect((await world.run("find", { pattern: "*.ts" })).text).toBe("src/a.ts");
    expect((await world.run("find", { pattern: "src/**" })).text.split("\n")).toEqual(["src/a.ts", "src/b.md"]);
    expect((await world.run("find", { pattern: "*.rs" })).text).toBe("No files match.");
    expect((await world.run("find", { pattern: "*", limit: 1 })).text).toContain("[More files match");
  });

  it("asks before it looks outside", async () => {
    symlinkSync(world.outside, join(world.root, "out"));
    for (const [name, params] of [
      ["grep", { pattern: "x", path: "out" }],
      ["find", { pattern: "*", path: ".." }],
      ["ls", { path: "/" }],
    ] as const) {
      expect((await world.propose(name, params))?.warnings[0]).toContain("Outside the workspace");
    }
    expect(await world.propose("grep", { pattern: "x" })).toBeUndefined();
  });
});

describe("ls", () => {
  it("lists hidden entries, folders and links, and a name with a newline on one line", async () => {
    const world = toolWorld();
    mkdirSync(join(world.root, "sub"));
    writeFileSync(join(world.root, ".hidden"), "");
    writeFileSync(join(world.root, "two\nlines"), "");
    symlinkSync("nowhere", join(world.root, "link"));
    expect((await world.run("ls", {})).text.split("\n")).toEqual([".hidden", "link@", "sub/", "two\ufffdlines"]);
    await expect(world.run("ls", { path: ".hidden" })).rejects.toThrow("is a file");
    world.dispose();
  });

  it("shows the beginning of a large folder and its size", async () => {
    const world = toolWorld();
    for (let i = 0; i < 700; i++) writeFileSync(join(world.root, `f${i}`), "");
    const { text } = await world.run("ls", {});
    expect(text.split("\n").length).toBe(501);
    expect(text).toContain("[700 entries in all]");
    world.dispose();
  });
});
