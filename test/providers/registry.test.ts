// What the bundle of the adapters holds: SDKs in lazy chunks only, and nothing that could read the environment.
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { streamFunctionFor } from "../../src/providers/registry.ts";

describe("streamFunctionFor", () => {
  it("has an adapter for every API but the editor's own", async () => {
    for (const api of [
      "anthropic-messages",
      "openai-responses",
      "openai-completions",
      "ollama-chat",
      "coppice-demo",
    ] as const) {
      expect(typeof (await streamFunctionFor(api))).toBe("function");
    }
    await expect(streamFunctionFor("vscode-lm")).rejects.toThrow("no adapter");
  });
});

describe("the bundle", () => {
  const chunks: { name: string; text: string; inputs: string[]; entry: boolean }[] = [];
  beforeAll(async () => {
    const { outputFiles, metafile } = await build({
      entryPoints: ["src/providers/registry.ts", "src/providers/request-preview.ts", "src/providers/list-models.ts"],
      bundle: true,
      splitting: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "node",
      outdir: "out",
    });
    for (const [path, output] of Object.entries(metafile.outputs)) {
      const text = outputFiles.find((file) => file.path.endsWith(path))?.text ?? "";
      const inputs = Object.entries(output.inputs).flatMap(([input, { bytesInOutput }]) =>
        bytesInOutput > 0 ? [input] : [],
      );
      chunks.push({ name: path, text, inputs, entry: /out\/(registry|request-preview|list-models)\.js$/.test(path) });
    }
  });
  const isSdk = (input: string) => /node_modules\/(openai|@anthropic-ai)/.test(input);

  it("loads no SDK before the first request", () => {
    const staticallyLoaded = new Set<string>();
    const follow = (name: string) => {
      if (staticallyLoaded.has(name)) return;
      staticallyLoaded.add(name);
      const text = chunks.find((chunk) => chunk.name === name)?.text ?? "";
      for (const [, file] of text.matchAll(/^(?:import|\} from) ?"?(?:[^"]*from )?"?\.\/([^"]+)"/gm))
        follow(`out/${file}`);
    };
    for (const chunk of chunks.filter(({ entry }) => entry)) follow(chunk.name);
    expect(staticallyLoaded.size).toBeGreaterThan(3);
    const eager = chunks.filter(({ name }) => staticallyLoaded.has(name)).flatMap(({ inputs }) => inputs.filter(isSdk));
    expect(eager).toEqual([]);
  });

  it("takes the decoders of both SDKs and not their clients, which read the environment", () => {
    expect(chunks.some(({ inputs }) => inputs.some((input) => /@anthropic-ai\/sdk\/core\/streaming/.test(input)))).toBe(
      true,
    );
    expect(chunks.some(({ inputs }) => inputs.some((input) => /openai\/core\/streaming/.test(input)))).toBe(true);
    for (const { text, inputs } of chunks) {
      expect(text).not.toMatch(/process\.env|ANTHROPIC_[A-Z]|OPENAI_[A-Z]/);
      expect(inputs.filter((input) => /\/client\.mjs$|\/utils\/env\.mjs$/.test(input))).toEqual([]);
    }
  });
});
