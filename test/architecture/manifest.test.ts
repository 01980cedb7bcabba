import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..", "..");
const read = (name: string) => readFileSync(join(root, name), "utf8");
const manifest = JSON.parse(read("package.json"));
const nls = JSON.parse(read("package.nls.json")) as Record<string, string>;
const { contributes } = manifest;
const commands: { command: string; title: string; category?: string }[] = contributes.commands;
const settings: Record<string, { scope?: string; default?: unknown; type?: unknown }> =
  contributes.configuration.properties;
const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name, text: read(join("src", name)) }));

/** Every `%key%` in the manifest. */
function keysIn(value: unknown): string[] {
  if (typeof value === "string") return [...value.matchAll(/%([\w.-]+)%/g)].map(([, key]) => key!);
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(keysIn);
}

describe("the manifest", () => {
  it("says everything in German as well, with the same commands, settings and values in it", () => {
    const german = JSON.parse(read("package.nls.de.json")) as Record<string, string>;
    expect(Object.keys(german)).toEqual(Object.keys(nls));
    const fixed = (text: string) => text.match(/\(command:[\w.]+\)|`[^`]+`|…$/g) ?? [];
    for (const [key, text] of Object.entries(nls)) expect([key, fixed(german[key]!)]).toEqual([key, fixed(text)]);
  });

  it("takes every title from package.nls.json, and that file holds nothing else", () => {
    const used = new Set(keysIn(manifest));
    expect([...used].filter((key) => nls[key] === undefined)).toEqual([]);
    const loose = (key: string) => !used.has(key) && !key.startsWith("walkthrough.");
    expect(Object.keys(nls).filter((key) => loose(key) && key !== "displayName" && key !== "description")).toEqual([]);
    for (const { title, category } of commands) {
      expect(title).toMatch(/^%command\.[\w.]+%$/);
      expect(category).toBe("Coppice");
    }
  });

  it("contributes only commands that the code registers, and registers only those", () => {
    const registered = new Set(
      sources
        .filter(({ name }) => name.startsWith("vscode") || name === "extension.ts")
        .flatMap(({ text }) => [...text.matchAll(/^\s*"(coppice\.[\w.]+)":/gm)].map(([, id]) => id!)),
    );
    const contributed = commands.map(({ command }) => command);
    expect(contributed.filter((id) => !registered.has(id))).toEqual([]);
    expect(new Set(contributed).size).toBe(contributed.length);
  });

  it("has the scopes that keep a workspace from choosing endpoints, approvals and roots", () => {
    const application = ["providers", "sessions.root", "sessions.includePi", "approvals.mode", "approvals.commands"];
    for (const name of [...application, "hooks.enabled"]) {
      expect(settings[`coppice.${name}`]?.scope, name).toBe("application");
    }
    const others = Object.entries(settings).filter(([, { scope }]) => scope !== "application");
    for (const [name, { scope }] of others) expect(scope, name).toBe("window");
    const restricted: string[] = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
    for (const name of restricted) expect(settings[name], name).toBeDefined();
    expect(manifest.capabilities.untrustedWorkspaces.supported).toBe("limited");
  });

  it("has the defaults of the seeds", () => {
    const defaults = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, value.default]));
    expect(defaults).toMatchObject({
      "coppice.compaction.enabled": true,
      "coppice.compaction.reserveTokens": 16384,
      "coppice.compaction.keepRecentTokens": 20000,
      "coppice.branchSummary.ask": "ask",
      "coppice.branchSummary.reserveTokens": 16384,
      "coppice.retry.maxRetries": 3,
      "coppice.retry.baseDelayMs": 2000,
      "coppice.approvals.mode": "ask",
      "coppice.sessions.includePi": true,
    });
  });

  it("has no setting that could hold a key", () => {
    const names = Object.keys(settings).filter((name) => /key|token$|secret|password/i.test(name));
    expect(names).toEqual([]);
    expect(JSON.stringify(settings["coppice.providers"])).not.toMatch(/apiKey|"key"|secret|token"/i);
  });

  it("asks for no proposed API, and the code does not reach around the types of the editor", () => {
    expect(manifest.enabledApiProposals).toBeUndefined();
    for (const { name, text } of sources) {
      expect(text.includes("enabledApiProposals"), name).toBe(false);
      expect(/\bvscode as (any|unknown)\b|vscode\.proposed/.test(text), name).toBe(false);
    }
    const [, engine] = /^\^1\.(\d+)\.0$/.exec(manifest.engines.vscode)!;
    expect(manifest.devDependencies["@types/vscode"]).toBe(`1.${engine}.0`);
  });

  it("is activated by its views and commands only", () => {
    const events: string[] = manifest.activationEvents ?? [];
    expect(events.filter((event) => event === "*" || event === "onStartupFinished")).toEqual([]);
  });

  it("has no default key without a condition", () => {
    for (const binding of contributes.keybindings ?? []) expect(binding.when, binding.command).toBeTruthy();
  });

  it("names commands and views that exist in its menus", () => {
    const ids = new Set(commands.map(({ command }) => command));
    const views = new Set(
      Object.values(contributes.views as Record<string, { id: string }[]>)
        .flat()
        .map(({ id }) => id),
    );
    for (const [menu, items] of Object.entries(
      contributes.menus as Record<string, { command?: string; when?: string }[]>,
    )) {
      for (const { command, when } of items) {
        if (command !== undefined) expect(ids.has(command), `${menu}: ${command}`).toBe(true);
        for (const [, view] of (when ?? "").matchAll(/view == ([\w.]+)/g)) expect(views.has(view!), view).toBe(true);
      }
    }
  });

  it("pins every package to one version", () => {
    const all = { ...manifest.dependencies, ...manifest.devDependencies } as Record<string, string>;
    for (const [name, version] of Object.entries(all)) expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

describe("what activation loads", () => {
  let main: { bytes: number; inputs: string[] };
  let total = 0;

  beforeAll(async () => {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: { extension: "src/extension.ts" },
      outdir: "dist",
      bundle: true,
      minify: true,
      metafile: true,
      format: "esm",
      splitting: true,
      platform: "node",
      target: "node22",
      external: ["vscode"],
      charset: "utf8",
      write: false,
      logLevel: "error",
    });
    const inputs = new Set<string>();
    const seen = new Set<string>();
    const follow = (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      const output = metafile.outputs[path]!;
      total += output.bytes;
      for (const input of Object.keys(output.inputs)) if (output.inputs[input]!.bytesInOutput > 0) inputs.add(input);
      for (const next of output.imports) {
        if (next.kind === "import-statement" && metafile.outputs[next.path] !== undefined) follow(next.path);
      }
    };
    follow("dist/extension.js");
    main = { bytes: metafile.outputs["dist/extension.js"]!.bytes, inputs: [...inputs] };
  });

  it("is a main file under 150 KB, and under 250 KB with all that it imports at once", () => {
    expect(main.bytes).toBeLessThan(150 * 1024);
    expect(total).toBeLessThan(250 * 1024);
  });

  it("holds no SDK, no locale of zod, and none of the tools", () => {
    const heavy =
      /node_modules\/(openai|@anthropic-ai|unbash|picomatch|ignore)\/|zod\/v4\/locales\/|src\/core\/tools\/bash/;
    expect(main.inputs.filter((input) => heavy.test(input))).toEqual([]);
    expect(main.inputs.length).toBeGreaterThan(30);
  });
});

/** Names in a zip file, from its central directory. */
function namesIn(zip: Buffer): string[] {
  const names: string[] = [];
  const end = zip.lastIndexOf("PK\x05\x06", undefined, "latin1");
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    names.push(zip.toString("utf8", at + 46, at + 46 + name));
    at += 46 + name + extra + comment;
  }
  return names;
}

describe("the VSIX", () => {
  let vsix: Buffer;
  beforeAll(async () => {
    const prepare = new URL("../editor/prepare.mjs", import.meta.url).href;
    const { buildPackage } = (await import(prepare)) as { buildPackage: () => string };
    vsix = readFileSync(buildPackage());
  }, 120_000);

  it("holds what belongs and nothing else", () => {
    const list = namesIn(vsix)
      .filter((name) => name.startsWith("extension/"))
      .map((name) => name.slice("extension/".length));
    const belongs =
      /^(dist\/(extension\.js|session\.mjs|api\.d\.ts|chunks\/[\w.-]+\.js|webview\/(chat|inspector|comparison|branch-map)\.js)|media\/([\w-]+\.(css|svg|png)|screenshots\/[\w-]+\.jpg|sample-session\.jsonl|walkthrough\/[\w-]+\.(md|svg|png))|l10n\/[\w.-]+\.json|package(\.nls(\.[\w-]+)?)?\.json|readme\.md|changelog\.md|LICENSE(\.txt|\.md)?)$/i;
    expect(list.filter((path) => !belongs.test(path))).toEqual([]);
    expect(list).toEqual(expect.arrayContaining(["package.json", "package.nls.json", "dist/extension.js"]));
  });

  it("is smaller than 1.5 MB", () => {
    expect(vsix.length).toBeLessThan(1.5 * 1024 * 1024);
  });
});
