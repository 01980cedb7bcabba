import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

describe("the page's script", () => {
  it("is small, holds no validation library and writes no HTML", async () => {
    const result = await build({
      entryPoints: [fileURLToPath(new URL("../../src/webview/main.ts", import.meta.url))],
      bundle: true,
      write: false,
      minify: true,
      metafile: true,
      format: "iife",
      platform: "browser",
      target: "es2022",
    });
    expect(result.outputFiles[0]!.contents.length).toBeLessThan(500_000);
    const inputs = Object.keys(result.metafile.inputs);
    expect(inputs.filter((input) => /node_modules\/zod|src\/(?!webview|protocol)/.test(input))).toEqual([]);
    // The highlighter has such functions; the page never calls them, and its policy forbids them.
    const own = await build({
      entryPoints: [fileURLToPath(new URL("../../src/webview/main.ts", import.meta.url))],
      bundle: true,
      write: false,
      packages: "external",
      format: "esm",
    });
    expect(own.outputFiles[0]!.text).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|setAttribute\("style"/,
    );
  });
});
