// Builds the extension (ESM with lazy chunks), the webview page and the command line.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, context } from "esbuild";

const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");

/** Fails the build when a bundle holds a source that does not belong there. */
const guard = (allowed) => ({
  name: "guard",
  setup(b) {
    b.onEnd((result) => {
      for (const input of Object.keys(result.metafile?.inputs ?? {})) {
        if (input.startsWith("src/") && !allowed.some((a) => input.startsWith(a))) {
          throw new Error(`${input} must not be part of this bundle (allowed: ${allowed.join(", ")})`);
        }
      }
    });
  },
});

const shared = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : "linked",
  metafile: true,
  logLevel: "warning",
  legalComments: "none",
  charset: "utf8",
};

const bundles = [
  {
    ...shared,
    entryPoints: { extension: "src/extension.ts" },
    outdir: "dist",
    chunkNames: "chunks/[name]-[hash]",
    format: "esm",
    splitting: true,
    platform: "node",
    target: "node22",
    external: ["vscode"],
    plugins: [
      guard([
        "src/extension.ts",
        "src/agent-side.ts",
        "src/core/",
        "src/node/",
        "src/providers/",
        "src/protocol/",
        "src/vscode/",
      ]),
    ],
    // Some bundled libraries still call require for Node's own modules.
    banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
  },
  {
    ...shared,
    entryPoints: { session: "src/cli/session.ts" },
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
    format: "esm",
    platform: "node",
    target: "node20",
    plugins: [guard(["src/cli/", "src/core/", "src/node/", "src/providers/"])],
    banner: {
      js: '#!/usr/bin/env node\nimport{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);',
    },
  },
  {
    ...shared,
    entryPoints: {
      chat: "src/webview/main.ts",
      inspector: "src/webview/inspector.ts",
      comparison: "src/webview/comparison.ts",
      "branch-map": "src/webview/branch-map.ts",
    },
    outdir: "dist/webview",
    format: "iife",
    platform: "browser",
    target: "es2022",
    plugins: [guard(["src/webview/", "src/protocol/"])],
  },
];

/**
 * The types of the extension's API as one file: what the compiler emits for `api.ts` and all that it names, without the
 * imports between them. Names are unique in the core; two that were not would not compile.
 */
function writeApiTypes() {
  const out = mkdtempSync(join(tmpdir(), "coppice-api-"));
  const config = join(out, "tsconfig.json");
  writeFileSync(
    config,
    JSON.stringify({
      extends: join(process.cwd(), "tsconfig.json"),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        outDir: join(out, "types"),
        rootDir: join(process.cwd(), "src"),
        typeRoots: [join(process.cwd(), "node_modules", "@types")],
      },
      include: [],
      files: [join(process.cwd(), "src", "vscode", "api.ts")],
    }),
  );
  execFileSync(process.execPath, [join("node_modules", "typescript", "bin", "tsc"), "-p", config], {
    stdio: "inherit",
  });
  const parts = readdirSync(join(out, "types"), { recursive: true })
    .filter((name) => name.endsWith(".d.ts"))
    .sort()
    .map((name) =>
      readFileSync(join(out, "types", name), "utf8")
        .replace(/^import type \{[^}]*\} from "\.[^"]*";\n/gm, "")
        .replace(/^import \{[^}]*\} from "\.[^"]*";\n/gm, ""),
    );
  const external = [...new Set(parts.flatMap((part) => part.match(/^import .* from "[^".][^"]*";$/gm) ?? []))];
  const body = parts.join("\n").replace(/^import .* from "[^".][^"]*";\n/gm, "");
  writeFileSync(
    "dist/api.d.ts",
    `// Types of the API of the extension coppice.coppice.\n${external.join("\n")}\n${body}`,
  );
  rmSync(out, { recursive: true, force: true });
}

for (const folder of ["dist/chunks", "dist/webview"]) await rm(folder, { recursive: true, force: true });
if (watch) {
  for (const options of bundles) await (await context(options)).watch();
} else {
  await Promise.all(bundles.map((options) => build(options)));
  if (production) writeApiTypes();
}
