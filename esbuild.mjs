// Builds the extension (ESM with lazy chunks), the webview page and the command line.
import { rm } from "node:fs/promises";
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
    plugins: [guard(["src/extension.ts", "src/core/", "src/node/", "src/providers/", "src/protocol/", "src/vscode/"])],
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
    },
    outdir: "dist/webview",
    format: "iife",
    platform: "browser",
    target: "es2022",
    plugins: [guard(["src/webview/", "src/protocol/"])],
  },
];

for (const folder of ["dist/chunks", "dist/webview"]) await rm(folder, { recursive: true, force: true });
if (watch) {
  for (const options of bundles) await (await context(options)).watch();
} else {
  await Promise.all(bundles.map((options) => build(options)));
}
