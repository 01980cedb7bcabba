import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..", "..");
const core = join(root, "src", "core");

/** Folders of core and what each may import; `ports.ts`, `errors.ts`, `fence.ts` and `give-way.ts` are open to all. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  llm: [],
  session: ["llm"],
  compaction: ["session", "llm"],
  agent: ["llm"],
  // `recall` reads the session that it is made for.
  tools: ["agent", "llm", "session"],
  harness: ["agent", "compaction", "llm", "session", "tools"],
};
const OPEN = ["ports.ts", "errors.ts", "fence.ts", "give-way.ts"];

interface Import {
  from: string;
  to: string;
}

function importsOf(folder: string): Import[] {
  const found: Import[] = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts")) continue;
    const file = join(folder, name);
    const text = readFileSync(file, "utf8");
    for (const [, still, lazy] of text.matchAll(/^(?:import|export|\})[^"\n]*\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/gm))
      found.push({ from: file, to: (still ?? lazy)! });
  }
  return found;
}

/** The first part of a path below core: a folder, or a file at its top. */
function placeInCore(path: string): string {
  return relative(core, path).split(/[\\/]/)[0]!;
}

describe("the order inside core", () => {
  const imports = importsOf(core);

  it("is seen: every folder of core has a rule, and there are imports to judge", () => {
    const folders = readdirSync(core, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(MAY_IMPORT).sort());
    expect(imports.length).toBeGreaterThan(100);
  });

  it("lets a folder import itself, what stands below it, and the open files only", () => {
    const wrong = imports
      .filter(({ to }) => to.startsWith("."))
      .map(({ from, to }) => ({ from, target: placeInCore(resolve(dirname(from), to)), place: placeInCore(from) }))
      .filter(({ place, target }) => {
        if (target === place || OPEN.includes(target)) return false;
        return !(MAY_IMPORT[place] ?? []).includes(target);
      })
      .map(({ from, target }) => `${relative(root, from)} imports ${target}`);
    expect(wrong).toEqual([]);
  });

  it("takes zod as zod/mini and nothing else of it", () => {
    const zods = new Set(imports.map(({ to }) => to).filter((to) => to.startsWith("zod")));
    expect([...zods]).toEqual(["zod/mini"]);
  });

  it("leaves the editor, the disk and the SDKs outside", () => {
    const allowed = /^(\.|zod\/mini$|diff$|unbash$|picomatch$|ignore$)/;
    expect(imports.filter(({ to }) => !allowed.test(to))).toEqual([]);
  });
});

describe("files of src", () => {
  it("have no default export, no vague name, and one sentence on top", () => {
    const problems: string[] = [];
    for (const name of readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts")) continue;
      const text = readFileSync(join(root, "src", name), "utf8");
      if (/(^|[\\/])(utils|helpers|types|index|common)\.ts$/.test(name)) problems.push(`${name}: vague name`);
      if (!/^\/\/ \S/.test(text)) problems.push(`${name}: no sentence on top`);
      if (/^export default\b/m.test(text)) problems.push(`${name}: default export`);
    }
    expect(problems).toEqual([]);
  });
});
