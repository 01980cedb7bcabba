import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

vi.mock("vscode", () => import("../support/fake-vscode.ts"));

import type { Model } from "../../src/core/llm/model.ts";
import type { Configuration, ProviderSetting } from "../../src/vscode/configuration.ts";
import { type EditorModels, ModelService, type ProviderSide } from "../../src/vscode/model-service.ts";
import type { Secrets } from "../../src/vscode/secrets.ts";
import { TEST_MODEL } from "../support/scripted-model.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LOOP: ProviderSetting = {
  id: "loop",
  api: "openai-completions",
  baseUrl: "http://127.0.0.1:1/v1",
  models: ["own"],
};
const never = () => new Promise<never>(() => {});

/** Models of a person with one endpoint, `loop/own`, who chose it. */
function service(
  parts: { editor?: () => Promise<Model[]>; key?: () => Promise<string>; providers?: () => ProviderSetting[] } = {},
) {
  const side = {
    demo: { ...TEST_MODEL, provider: "demo", id: "demo" },
    knownEndpoints: [{ id: "cloud", name: "Cloud", api: "openai-completions", baseUrl: "https://cloud.example" }],
    catalogModels: async ({ id }: { id: string }) => [{ ...TEST_MODEL, provider: id, id: "listed" }],
    modelFor: async (endpoint: { id: string }, id: string) => ({ ...TEST_MODEL, provider: endpoint.id, id }),
  } as unknown as ProviderSide;
  const editor = { list: parts.editor ?? (async () => []), onDidChange: () => ({ dispose: () => {} }) };
  const failures: string[] = [];
  const models = new ModelService(
    side,
    editor as unknown as EditorModels,
    { model: () => "loop/own", providers: parts.providers ?? (() => [LOOP]) } as unknown as Configuration,
    { get: parts.key ?? (async () => undefined) } as unknown as Secrets,
    { get: () => "" } as never,
    (source, error) => void failures.push(`${source}: ${error}`),
  );
  const keys = () => models.all.map(({ provider, id }) => `${provider}/${id}`);
  return { models, keys, failures };
}
const editorModel: Model = { ...TEST_MODEL, api: "vscode-lm", provider: "vscode-x", id: "far" };

describe("the models that can be chosen", () => {
  it("are those of the person though the editor and the keyring never answer", async () => {
    const { models, keys } = service({ editor: never, key: never });
    const listed = models.refresh();
    await vi.advanceTimersByTimeAsync(10_000);
    await listed;
    expect(models.chosen?.id).toBe("own");
    expect(keys()).toEqual(["demo/demo", "loop/own"]);
  });

  it("are told of as each list comes, however late", async () => {
    let answer: (models: Model[]) => void = () => {};
    const { models, keys } = service({
      editor: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    let told: string[] = [];
    models.onDidChange(() => {
      told = keys();
    });
    const listed = models.refresh();
    await vi.advanceTimersByTimeAsync(0);
    expect([told, models.isListed]).toEqual([["demo/demo", "loop/own"], false]);
    await vi.advanceTimersByTimeAsync(10_000);
    await listed;
    expect(models.isListed).toBe(true);
    answer([editorModel]);
    await vi.advanceTimersByTimeAsync(0);
    expect(told).toEqual(["demo/demo", "loop/own", "vscode-x/far"]);
  });

  it("are not those of an older list that comes after a newer", async () => {
    const answers: ((models: Model[]) => void)[] = [];
    const { models, keys } = service({ editor: () => new Promise((resolve) => answers.push(resolve)) });
    const both = Promise.all([models.refresh(), models.refresh()]);
    answers[1]!([editorModel]);
    await vi.advanceTimersByTimeAsync(0);
    answers[0]!([]);
    await vi.advanceTimersByTimeAsync(10_000);
    await both;
    expect(keys()).toContain("vscode-x/far");
  });

  it("stay where a list fails, and the failure is told", async () => {
    let broken = false;
    const { models, keys, failures } = service({
      editor: async () => [editorModel],
      providers: () => {
        if (broken) throw new Error("no settings");
        return [LOOP];
      },
      key: async () => "key",
    });
    await models.refresh();
    broken = true;
    await models.refresh();
    expect(keys()).toEqual(["demo/demo", "cloud/listed", "loop/own", "vscode-x/far"]);
    expect(failures).toEqual(["settings: Error: no settings"]);
  });
});
