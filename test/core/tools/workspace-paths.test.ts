import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolvePath, writeWarnings } from "../../../src/core/tools/workspace-paths.ts";
import { MemoryFileSystem } from "../../support/memory-file-system.ts";
import { type ToolWorld, toolWorld } from "../../support/tool-world.ts";

let world: ToolWorld;
beforeAll(() => {
  world = toolWorld();
  mkdirSync(join(world.root, "src"));
  writeFileSync(join(world.root, "src/a.ts"), "");
  symlinkSync(world.outside, join(world.root, "out"));
  symlinkSync("src", join(world.root, "alias"));
  symlinkSync("loop", join(world.root, "loop"));
  symlinkSync("/nowhere/at/all", join(world.root, "dangling"));
});
afterAll(() => world.dispose());

/** `inside`, `outside`, or `refused`. */
async function verdict(path: string): Promise<string> {
  try {
    return (await resolvePath(world.env, path)).inside ? "inside" : "outside";
  } catch {
    return "refused";
  }
}

const INSIDE = [
  "src/a.ts",
  "./src/a.ts",
  "src/../src/a.ts",
  "src//a.ts",
  "new.txt",
  "@src/a.ts",
  "alias/a.ts",
  "a b.txt",
];
const ESCAPES = [
  "..",
  "../x",
  "../../x",
  "src/../../x",
  "src/../../../x",
  "./../x",
  "src/./../../x",
  "new/../../x",
  "new/deep/../../../x",
  "out/x",
  "alias/../out/x",
  "out/deep/new",
  "/etc/passwd",
  "//etc/passwd",
  "/etc/../etc/passwd",
  "/",
  "~/x",
  "~",
  "@/etc/passwd",
  "@../x",
  "@~/x",
  "file:///etc/passwd",
  "FILE:///etc/passwd",
  "file:///etc/%70asswd",
  "file:///%2e%2e/etc/passwd",
  "file://host/etc/passwd",
];
const SPACES = ["", " ", "\u00a0", "\u3000", "\u2003"];
const PREFIXES = ["", "src/../", "./", "src/.//../", "alias/../", "new/../"];
const INVISIBLE =
  "\0 \u0001 \u0007 \u001b \u007f \u00ad \u200b \u200e \u200f \u202a \u202e \u2060 \u2066 \u2069 \u206a \u206f \ufeff".split(
    " ",
  );

describe("a path of the model", () => {
  it.each(INSIDE)("stays inside: %s", async (path) => {
    for (const space of SPACES) expect(await verdict(space + path)).toBe("inside");
  });

  it("that leaves the workspace is seen to do so, in all of its forms", async () => {
    let forms = 0;
    for (const way of ESCAPES) {
      for (const space of SPACES) {
        for (const prefix of /^[./\w]/.test(way) && !/^(?:\/|file)/i.test(way) ? PREFIXES : [""]) {
          const path = `${space}${prefix}${way}${space}`;
          expect(await verdict(path), JSON.stringify(path)).toBe("outside");
          forms++;
        }
      }
    }
    expect(forms).toBeGreaterThan(300);
  });

  it("with control or invisible characters is refused", async () => {
    for (const character of INVISIBLE) {
      for (const path of [`src/a${character}.ts`, `x${character}/a.ts`, `src/..${character}/x`]) {
        expect(await verdict(path), JSON.stringify(path)).toBe("refused");
      }
    }
  });

  it("that is empty, dangling, a circle of links, a device or a process is refused", async () => {
    for (const path of [
      "",
      " ",
      "@",
      "dangling",
      "dangling/x",
      "loop",
      "loop/x",
      "file://%zz",
      "/dev/null",
      "/proc/1/environ",
      "/sys",
    ]) {
      expect(await verdict(path), path).toBe("refused");
    }
  });

  it("is shown relative to the workspace inside it, and whole outside", async () => {
    expect(await resolvePath(world.env, "alias/a.ts")).toMatchObject({ shown: "src/a.ts", linked: true });
    expect(await resolvePath(world.env, ".")).toMatchObject({ shown: ".", linked: false });
    expect((await resolvePath(world.env, "out/x")).shown).toBe(join(world.outside, "x"));
  });

  it("with a similar beginning is not inside: /work and /work-2", async () => {
    expect(await verdict(`${world.root}-2/x`)).toBe("outside");
    expect(await verdict(`${world.root}x`)).toBe("outside");
    expect(await verdict(`${world.root}/x`)).toBe("inside");
  });
});

describe("a path on Windows", () => {
  const fs = new MemoryFileSystem();
  fs.realPath = async (path) => path.replaceAll("/", "\\");
  const policy = { fs, roots: ["c:\\Work"], cwd: "C:\\Work", home: "C:\\Users\\me", windows: true };
  const refused = [
    "\\\\server\\share\\x",
    "//server/share/x",
    "\\\\?\\C:\\Work\\x",
    "\\\\.\\PhysicalDrive0",
    "//?/C:/x",
    "a.txt::$DATA",
    "a.txt:stream",
    "a:b",
    "sub\\a.txt:x",
    "C:\\Work\\a::$INDEX_ALLOCATION",
    ".vscode.",
    ".vscode.\\settings.json",
    "a.txt .",
    "sub \\x",
    "trailing.",
    "VSCODE~1\\settings.json",
    "GIT~1\\config",
    "a~9.txt",
    ...[
      "CON",
      "con",
      "PRN",
      "AUX",
      "NUL",
      "nul.txt",
      "COM1",
      "com9.log",
      "LPT1",
      "lpt9.x.y",
      "sub\\aux",
      "sub/NUL.txt",
    ],
  ];
  it.each(refused)("%s is refused", async (path) => {
    await expect(resolvePath(policy, path)).rejects.toThrow(/refused/);
  });
  it.each(["..\\x", "src\\..\\..\\x", "C:\\Windows\\x", "D:\\Work\\x", "/Windows/x", "~\\x", "C:/Work2/x"])(
    "%s is outside",
    async (path) => {
      expect((await resolvePath(policy, path)).inside).toBe(false);
    },
  );
  it.each(["x", "sub\\x", "sub/x", "c:\\work\\x", "C:/WORK/x", ".\\x", "console.txt", "a.b.c"])(
    "%s is inside",
    async (path) => {
      const resolved = await resolvePath(policy, path);
      expect(resolved.inside).toBe(true);
      expect(resolved.shown).not.toContain("\\");
      expect(writeWarnings(resolved, "")).toEqual([]);
    },
  );
  it.each([".vscode\\settings.json", ".GIT\\config", "sub\\.Husky\\x"])("%s is protected", async (path) => {
    expect(writeWarnings(await resolvePath(policy, path), "").length).toBeGreaterThan(0);
  });
});
