import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ToolWorld, toolWorld } from "../../support/tool-world.ts";

let world: ToolWorld;
beforeEach(() => {
  world = toolWorld();
});
afterEach(() => world.dispose());
const at = (name: string) => join(world.root, name);
const warnings = async (path: string, content = "x") => (await world.propose("write", { path, content }))?.warnings;

describe("write", () => {
  it("makes a file with its folders, readable for others as the person's umask says", async () => {
    await world.run("write", { path: "deep/er/a.txt", content: "x\n" });
    expect(readFileSync(at("deep/er/a.txt"), "utf8")).toBe("x\n");
    const mask = process.umask();
    expect(statSync(at("deep/er/a.txt")).mode & 0o777).toBe(0o666 & ~mask);
    expect(statSync(at("deep")).mode & 0o777).toBe(0o777 & ~mask);
    expect(readdirSync(at("deep/er"))).toEqual(["a.txt"]);
  });

  it("keeps mode and byte-order mark of a file that it overwrites", async () => {
    writeFileSync(at("run.sh"), "\ufeffold");
    chmodSync(at("run.sh"), 0o750);
    await world.run("write", { path: "run.sh", content: "new" });
    expect(readFileSync(at("run.sh"), "utf8")).toBe("\ufeffnew");
    expect(statSync(at("run.sh")).mode & 0o777).toBe(0o750);
  });

  it("refuses a link that leads nowhere: it would create a file outside", async () => {
    symlinkSync(join(world.outside, "new.txt"), at("link"));
    symlinkSync(join(world.outside, "gone"), at("folder"));
    await expect(world.run("write", { path: "link", content: "x" })).rejects.toThrow("leads nowhere");
    await expect(world.run("write", { path: "folder/x.txt", content: "x" })).rejects.toThrow("leads nowhere");
    expect(readdirSync(world.outside)).toEqual([]);
  });

  it("warns before it leaves the workspace through a link, and before it breaks a hard link", async () => {
    writeFileSync(join(world.outside, "rc"), "x");
    symlinkSync(world.outside, at("out"));
    linkSync(join(world.outside, "rc"), at("hard"));
    expect((await warnings("out/rc"))?.[0]).toContain(`Outside the workspace: ${join(world.outside, "rc")}`);
    expect((await warnings("out/new/file"))?.[0]).toContain(join(world.outside, "new/file"));
    expect(await warnings("hard")).toEqual(["The file has another name elsewhere (hard link)"]);
    await world.run("write", { path: "hard", content: "changed" });
    expect(readFileSync(join(world.outside, "rc"), "utf8")).toBe("x");
  });

  it("does nothing where a link was put in the way after the answer", async () => {
    mkdirSync(at("a"));
    const between = () => {
      renameSync(at("a"), at("b"));
      symlinkSync(world.outside, at("a"));
    };
    await expect(world.run("write", { path: "a/x", content: "x" }, { between })).rejects.toThrow();
    expect(existsSync(join(world.outside, "x"))).toBe(false);
  });

  it.each([
    ".vscode/settings.json",
    ".VSCODE/Settings.json",
    "sub/.vscode/tasks.json",
    ".git/config",
    ".GIT/hooks/pre-commit",
    ".git",
    ".husky/pre-commit",
    ".devcontainer/devcontainer.json",
    ".github/workflows/x.yml",
    ".idea/x.xml",
    "x.code-workspace",
    "package.json",
    "PACKAGE.JSON",
    "Makefile",
    ".envrc",
    ".env",
    ".env.local",
    ".npmrc",
    "AGENTS.md",
    "sub/claude.md",
    ".agents/skills/x/SKILL.md",
    ".claude/settings.json",
    ".pi/settings.json",
    ".coppice/x",
    ".cursorrules",
    ".mcp.json",
    ".v\u017fcode/settings.json",
    "\uff0evscode/settings.json",
  ])("always asks before %s", async (path) => {
    expect((await warnings(path))?.length).toBeGreaterThan(0);
  });

  it("says that what it replaces is no text, and does nothing where that changed after the answer", async () => {
    writeFileSync(at("a.bin"), Buffer.from([0, 1, 2]));
    expect((await warnings("a.bin", "x"))?.length).toBe(1);
    const between = () => writeFileSync(at("a.bin"), Buffer.from([0, 9, 9, 9]));
    await expect(world.run("write", { path: "a.bin", content: "x" }, { between })).rejects.toThrow();
    expect([...readFileSync(at("a.bin"))]).toEqual([0, 9, 9, 9]);
  });

  it("asks before JSON that names a schema somewhere else", async () => {
    expect((await warnings("a.json", '{ "$schema" : "https://evil/?d=1" }'))?.length).toBe(1);
    expect(await warnings("a.json", '{ "$schema": "./local.json", "home": "https://example.com" }')).toEqual([]);
    for (const [path, text] of [
      ["a.json", '{ "\\u0024schema": "https://evil/" }'],
      ["a.json", '{ "$schema": "\\u0068ttps:\\/\\/evil/" }'],
      ["a.jsonc", '{ "$schema" /* a */ : // b\n "HTTPS://evil/" }'],
      ["a.json", '{ "$schema": "//evil/x" }'],
      [".prettierrc", '{ "$schema": "https://evil/" }'],
      ["a.yaml", "# yaml-language-server: $schema=https://evil/"],
    ] as const) {
      expect((await warnings(path, text))?.length, `${path} ${text}`).toBe(1);
    }
  });

  it("works where the workspace folder itself is reached through a link", async () => {
    const alias = join(world.outside, "alias");
    symlinkSync(world.root, alias);
    const linked = toolWorld({ cwd: alias, roots: [alias] });
    expect((await linked.propose("write", { path: "a.txt", content: "x" }))?.warnings).toEqual([]);
    await linked.run("write", { path: "a.txt", content: "x" });
    expect(readFileSync(at("a.txt"), "utf8")).toBe("x");
    expect((await linked.run("read", { path: join(alias, "a.txt") })).text).toBe("x");
    linked.dispose();
  });
});
