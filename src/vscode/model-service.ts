// The models that can be chosen: of the person's endpoints, of the editor, of the machine, and the demo.
import * as vscode from "vscode";
import {
  type Api,
  clampThinkingLevel,
  type Model,
  modelKey,
  THINKING_LEVELS,
  type ThinkingLevel,
} from "../core/llm/model.ts";
import type { StreamFunction } from "../core/llm/stream.ts";
import type { SetupChoice } from "../protocol/view-state.ts";
import type { Configuration, ProviderSetting } from "./configuration.ts";
import type { Secrets } from "./secrets.ts";

/** An endpoint that is known without being configured. */
export interface KnownEndpoint {
  id: string;
  name: string;
  api: Api;
  baseUrl: string;
}

/** What the providers' side offers; handed in by the object graph. */
export interface ProviderSide {
  demo: Model;
  knownEndpoints: readonly KnownEndpoint[];
  streamFunctionFor: (api: Api) => Promise<StreamFunction>;
  /** Models of an endpoint from the catalogue, for the endpoint's own address. */
  catalogModels: (endpoint: { id: string; api: Api; baseUrl: string }) => Promise<Model[]>;
  /** Model by id on an endpoint: from the catalogue, else a guess that says so. */
  modelFor: (endpoint: { id: string; api: Api; baseUrl: string }, modelId: string) => Promise<Model>;
  /** Asks a server for its models; throws with a message for people. */
  listModels: (
    endpoint: { id: string; api: Api; baseUrl: string },
    apiKey: string | undefined,
    signal: AbortSignal,
  ) => Promise<Model[]>;
  /** Servers that answer on this machine; asked only on request. */
  probeLocal: (signal: AbortSignal) => Promise<{ endpoint: KnownEndpoint; models: Model[] }[]>;
}

/** Models of the editor (vscode.lm). */
export interface EditorModels {
  list(): Promise<Model[]>;
  stream: StreamFunction;
  onDidChange: vscode.Event<void>;
}

const CHOSEN_KEY = "coppice.chosenModel";
const LEVEL_KEY = "coppice.chosenThinkingLevel";

export class ModelService implements vscode.Disposable {
  readonly #side: ProviderSide;
  readonly #editor: EditorModels;
  readonly #configuration: Configuration;
  readonly #secrets: Secrets;
  readonly #state: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #disposables: vscode.Disposable[] = [this.#changed];
  #models = new Map<string, Model>();
  /** Models that servers reported or that were found on the machine, until the window closes. */
  readonly #found = new Map<string, Model[]>();
  #editorModels: Model[] = [];
  /** Models were listed or the choice changed. */
  readonly onDidChange = this.#changed.event;

  constructor(
    side: ProviderSide,
    editor: EditorModels,
    configuration: Configuration,
    secrets: Secrets,
    state: vscode.Memento,
  ) {
    this.#side = side;
    this.#editor = editor;
    this.#configuration = configuration;
    this.#secrets = secrets;
    this.#state = state;
    this.#disposables.push(editor.onDidChange(() => void this.refresh()));
  }

  /** Rebuilds the list from settings, catalogue, editor and what was found; sends nothing to any endpoint. */
  async refresh(): Promise<void> {
    const models = new Map<string, Model>();
    const add = (model: Model) => models.set(modelKey(model), model);
    add(this.#side.demo);
    for (const endpoint of this.#side.knownEndpoints) {
      if ((await this.#secrets.get(endpoint.id, endpoint.baseUrl)) === undefined) continue;
      for (const model of await this.#side.catalogModels(endpoint)) add(model);
    }
    for (const provider of this.#configuration.providers()) {
      const known = provider.models ?? [];
      if (known.length === 0) for (const model of await this.#side.catalogModels(provider)) add(model);
      for (const given of known) add(await this.#configured(provider, given));
    }
    for (const list of this.#found.values()) for (const model of list) add(model);
    this.#editorModels = await this.#editor.list().catch(() => []);
    for (const model of this.#editorModels) add(model);
    this.#models = models;
    this.#changed.fire();
  }

  async #configured(provider: ProviderSetting, given: NonNullable<ProviderSetting["models"]>[number]): Promise<Model> {
    const id = typeof given === "string" ? given : given.id;
    const base = await this.#side.modelFor(provider, id);
    const headers = provider.headers === undefined ? {} : { headers: provider.headers };
    if (typeof given === "string") return { ...base, ...headers };
    const levels = given.thinkingLevels?.filter((level): level is ThinkingLevel =>
      (THINKING_LEVELS as readonly string[]).includes(level),
    );
    const { guessed: _guessed, ...rest } = base;
    return {
      ...(given.contextWindow === undefined ? base : rest),
      ...headers,
      ...(given.name === undefined ? {} : { name: given.name }),
      ...(given.contextWindow === undefined ? {} : { contextWindow: given.contextWindow }),
      ...(given.maxTokens === undefined ? {} : { maxTokens: given.maxTokens }),
      ...(levels === undefined || levels.length === 0 ? {} : { thinkingLevels: levels }),
      ...(given.images === undefined ? {} : { input: given.images ? ["text", "image"] : ["text"] }),
      ...(given.cost === undefined ? {} : { cost: given.cost }),
      ...(given.compat === undefined ? {} : { compat: given.compat }),
    };
  }

  get all(): Model[] {
    return [...this.#models.values()];
  }

  find(provider: string, modelId: string): Model | undefined {
    return this.#models.get(`${provider}/${modelId}`);
  }

  nameOf(provider: string, modelId: string): string {
    return this.find(provider, modelId)?.name ?? modelId;
  }

  /** The model of new sessions: the setting, else the last choice; never one that the person did not choose. */
  get chosen(): Model | undefined {
    const key = this.#configuration.model() || this.#state.get<string>(CHOSEN_KEY, "");
    return this.#models.get(key);
  }

  get chosenLevel(): ThinkingLevel {
    const level = this.#state.get<string>(LEVEL_KEY) ?? this.#configuration.thinkingLevel();
    return clampThinkingLevel(this.chosen ?? { thinkingLevels: ["off"] }, level);
  }

  async choose(model: Model): Promise<void> {
    await this.#state.update(CHOSEN_KEY, modelKey(model));
    this.#changed.fire();
  }
  async chooseLevel(level: ThinkingLevel): Promise<void> {
    await this.#state.update(LEVEL_KEY, level);
    this.#changed.fire();
  }

  async streamFunctionFor(model: Model): Promise<StreamFunction> {
    return model.api === "vscode-lm" ? this.#editor.stream : await this.#side.streamFunctionFor(model.api);
  }

  #needsKey(model: Model): boolean {
    if (model.api === "vscode-lm" || model.api === "coppice-demo" || model.api === "ollama-chat") return false;
    const configured = this.#configuration.providers().find((provider) => provider.id === model.provider);
    if (configured !== undefined) return configured.needsKey !== false;
    return this.#side.knownEndpoints.some((endpoint) => endpoint.id === model.provider);
  }

  /** The key for a model. Throws with what to do where one is needed and there is none. */
  async apiKey(model: Model): Promise<string | undefined> {
    if (model.api === "vscode-lm" || model.api === "coppice-demo") return undefined;
    const key = await this.#secrets.get(model.provider, model.baseUrl);
    if (key === undefined && this.#needsKey(model)) {
      throw new Error(
        vscode.l10n.t("There is no key for {0}. Run “Coppice: Manage Providers” to enter one.", model.provider),
      );
    }
    return key;
  }

  // ---- choosing

  setupChoices(): SetupChoice[] {
    const choices: SetupChoice[] = [];
    for (const model of this.#editorModels.slice(0, 3)) {
      choices.push({
        id: `model:${modelKey(model)}`,
        title: vscode.l10n.t("Use {0}", model.name),
        detail: vscode.l10n.t("A model of your editor; no key needed"),
      });
    }
    choices.push(
      {
        id: "key",
        title: vscode.l10n.t("Use an API key…"),
        detail: vscode.l10n.t("Anthropic, OpenAI, OpenRouter or any compatible endpoint"),
      },
      {
        id: "local",
        title: vscode.l10n.t("Look for local models"),
        detail: vscode.l10n.t("Ollama, LM Studio, llama.cpp or vLLM on this machine"),
      },
      {
        id: "demo",
        title: vscode.l10n.t("Try the demo"),
        detail: vscode.l10n.t("A script, not an AI: shows everything without a key"),
      },
      {
        id: "sample",
        title: vscode.l10n.t("Look at a sample session"),
        detail: vscode.l10n.t("Branches and compactions to look around in; needs no model"),
      },
    );
    return choices;
  }

  /** Carries out a choice of the set-up card; the model chosen, or undefined where the person turned back. */
  async setUp(choiceId: string): Promise<Model | undefined> {
    let model: Model | undefined;
    if (choiceId === "demo") model = this.#side.demo;
    else if (choiceId === "key") model = await this.#enterKey();
    else if (choiceId === "local") model = await this.#lookForLocal();
    else if (choiceId.startsWith("model:")) model = this.#models.get(choiceId.slice("model:".length));
    if (model !== undefined) await this.choose(model);
    return model;
  }

  async pick(current: Model | undefined): Promise<Model | undefined> {
    await this.refresh();
    type Item = vscode.QuickPickItem & { model?: Model; action?: string };
    const items: Item[] = [];
    let provider = "";
    for (const model of this.all.sort((a, b) => (a.api === "coppice-demo" ? 1 : b.api === "coppice-demo" ? -1 : 0))) {
      if (model.provider !== provider) {
        provider = model.provider;
        items.push({ label: provider, kind: vscode.QuickPickItemKind.Separator });
      }
      const window = `${Math.round(model.contextWindow / 1000)}k`;
      items.push({
        label: model.name,
        description: modelKey(model) === (current && modelKey(current)) ? vscode.l10n.t("current") : "",
        detail:
          model.guessed === true ? vscode.l10n.t("window guessed: {0}", window) : vscode.l10n.t("window {0}", window),
        model,
      });
    }
    items.push(
      { label: "", kind: vscode.QuickPickItemKind.Separator },
      { label: vscode.l10n.t("$(key) Use an API key…"), action: "key" },
      { label: vscode.l10n.t("$(search) Look for local models"), action: "local" },
    );
    const picked = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t("Model"),
      placeHolder: vscode.l10n.t("The model of this session; new sessions begin with it too"),
      matchOnDetail: true,
    });
    if (picked?.action !== undefined) return await this.setUp(picked.action);
    if (picked?.model !== undefined) await this.choose(picked.model);
    return picked?.model;
  }

  async pickLevel(model: Model, current: ThinkingLevel): Promise<ThinkingLevel | undefined> {
    if (model.thinkingLevels.length < 2) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t("{0} has no thinking levels to choose from.", model.name),
      );
      return undefined;
    }
    const picked = await vscode.window.showQuickPick(
      model.thinkingLevels.map((level) => ({
        label: level,
        description: level === current ? vscode.l10n.t("current") : "",
      })),
      {
        title: vscode.l10n.t("Thinking"),
        placeHolder: vscode.l10n.t("How much {0} thinks before it answers", model.name),
      },
    );
    const level = picked?.label as ThinkingLevel | undefined;
    if (level !== undefined) await this.chooseLevel(level);
    return level;
  }

  /** Endpoints and keys: add, replace, test, remove. */
  async manage(): Promise<Model | undefined> {
    type Item = vscode.QuickPickItem & { endpoint?: KnownEndpoint & { configured: boolean }; action?: string };
    const items: Item[] = [];
    const endpoints = [
      ...this.#side.knownEndpoints.map((endpoint) => ({ ...endpoint, configured: false })),
      ...this.#configuration.providers().map((provider) => ({
        id: provider.id,
        name: provider.name ?? provider.id,
        api: provider.api,
        baseUrl: provider.baseUrl,
        configured: true,
      })),
    ];
    for (const endpoint of endpoints) {
      const key = await this.#secrets.get(endpoint.id, endpoint.baseUrl);
      items.push({
        label: endpoint.name,
        description: key === undefined ? vscode.l10n.t("no key") : vscode.l10n.t("key stored"),
        detail: endpoint.baseUrl,
        endpoint,
      });
    }
    items.push(
      { label: "", kind: vscode.QuickPickItemKind.Separator },
      { label: vscode.l10n.t("$(add) Add a compatible endpoint…"), action: "endpoint" },
      { label: vscode.l10n.t("$(search) Look for local models"), action: "local" },
    );
    const picked = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t("Manage Providers"),
      matchOnDetail: true,
    });
    if (picked?.action === "endpoint") return await this.#addEndpoint();
    if (picked?.action === "local") return await this.setUp("local");
    if (picked?.endpoint === undefined) return undefined;
    return await this.#manageEndpoint(picked.endpoint);
  }

  async #manageEndpoint(endpoint: KnownEndpoint): Promise<Model | undefined> {
    const has = (await this.#secrets.get(endpoint.id, endpoint.baseUrl)) !== undefined;
    if (!has) return await this.#askKey(endpoint);
    const replace = vscode.l10n.t("Replace the key");
    const test = vscode.l10n.t("Test the key");
    const remove = vscode.l10n.t("Remove the key");
    const action = await vscode.window.showQuickPick([replace, test, remove], { title: endpoint.name });
    if (action === replace) return await this.#askKey(endpoint);
    if (action === remove) {
      await this.#secrets.delete(endpoint.id);
      await this.refresh();
    }
    if (action === test) return await this.#testAndPick(endpoint);
    return undefined;
  }

  async #enterKey(): Promise<Model | undefined> {
    type Item = vscode.QuickPickItem & { endpoint?: KnownEndpoint };
    const items: Item[] = this.#side.knownEndpoints.map((endpoint) => ({
      label: endpoint.name,
      detail: endpoint.baseUrl,
      endpoint,
    }));
    items.push({ label: vscode.l10n.t("$(add) Another compatible endpoint…") });
    const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t("Whose key?") });
    if (picked === undefined) return undefined;
    return picked.endpoint === undefined ? await this.#addEndpoint() : await this.#askKey(picked.endpoint);
  }

  async #askKey(endpoint: KnownEndpoint): Promise<Model | undefined> {
    const key = await vscode.window.showInputBox({
      title: endpoint.name,
      prompt: vscode.l10n.t(
        "API key for {0}. It is kept in the editor’s secret storage and sent to this address only.",
        endpoint.baseUrl,
      ),
      password: true,
      ignoreFocusOut: true,
      validateInput: (text) => (text.trim() === "" ? vscode.l10n.t("Enter a key") : undefined),
    });
    if (key === undefined) return undefined;
    const kept = await this.#secrets.set(endpoint.id, endpoint.baseUrl, key.trim());
    if (!kept) {
      void vscode.window.showWarningMessage(
        vscode.l10n.t("No keyring is available: the key is kept until the window closes."),
      );
    }
    return await this.#testAndPick(endpoint);
  }

  async #testAndPick(endpoint: KnownEndpoint): Promise<Model | undefined> {
    const key = await this.#secrets.get(endpoint.id, endpoint.baseUrl);
    let live: Model[] = [];
    try {
      live = await vscode.window.withProgress(
        {
          location: vscode.ProgressLocation.Notification,
          title: vscode.l10n.t("Asking {0} for its models…", endpoint.name),
          cancellable: true,
        },
        (_progress, token) => this.#side.listModels(endpoint, key, signalOf(token)),
      );
      this.#found.set(endpoint.id, live);
    } catch (error) {
      void vscode.window.showWarningMessage(
        vscode.l10n.t("{0} did not list its models: {1}", endpoint.name, (error as Error).message),
      );
    }
    await this.refresh();
    const models = this.all.filter((model) => model.provider === endpoint.id);
    return await this.#pickFrom(models, endpoint.name);
  }

  async #pickFrom(models: readonly Model[], title: string): Promise<Model | undefined> {
    if (models.length === 0) return undefined;
    const picked = await vscode.window.showQuickPick(
      models.map((model) => ({
        label: model.name,
        description: model.id === model.name ? "" : model.id,
        detail: vscode.l10n.t("window {0}", `${Math.round(model.contextWindow / 1000)}k`),
        model,
      })),
      { title, placeHolder: vscode.l10n.t("Choose a model"), matchOnDescription: true },
    );
    if (picked !== undefined) await this.choose(picked.model);
    return picked?.model;
  }

  async #addEndpoint(): Promise<Model | undefined> {
    const api = await vscode.window.showQuickPick(
      [
        {
          label: "Chat Completions",
          detail: vscode.l10n.t("most compatible servers"),
          api: "openai-completions" as const,
        },
        { label: "Responses", detail: "OpenAI Responses", api: "openai-responses" as const },
        { label: "Messages", detail: "Anthropic Messages", api: "anthropic-messages" as const },
        {
          label: "Ollama",
          detail: vscode.l10n.t("native, with a window that is not cut silently"),
          api: "ollama-chat" as const,
        },
      ],
      { title: vscode.l10n.t("Which format does the endpoint speak?") },
    );
    if (api === undefined) return undefined;
    const baseUrl = await vscode.window.showInputBox({
      title: vscode.l10n.t("Address"),
      prompt: vscode.l10n.t("Base address, for example http://localhost:8000/v1"),
      ignoreFocusOut: true,
      validateInput: (text) =>
        /^https?:\/\/[^\s]+$/.test(text.trim()) ? undefined : vscode.l10n.t("Enter an http or https address"),
    });
    if (baseUrl === undefined) return undefined;
    const host = new URL(baseUrl.trim()).host.replace(/[^\w.-]/g, "-");
    const id = await vscode.window.showInputBox({
      title: vscode.l10n.t("Name"),
      value: host,
      prompt: vscode.l10n.t("A short name for it"),
      validateInput: (text) =>
        /^[A-Za-z0-9][\w.-]{0,63}$/.test(text)
          ? undefined
          : vscode.l10n.t("Letters, digits, dots, hyphens and underscores"),
    });
    if (id === undefined) return undefined;
    const key = await vscode.window.showInputBox({
      title: vscode.l10n.t("API key"),
      prompt: vscode.l10n.t("Leave empty if the endpoint needs none"),
      password: true,
      ignoreFocusOut: true,
    });
    if (key === undefined) return undefined;
    const endpoint = { id, name: id, api: api.api, baseUrl: baseUrl.trim().replace(/\/+$/, "") };
    if (key.trim() !== "") await this.#secrets.set(id, endpoint.baseUrl, key.trim());
    await this.#configuration.addProvider({ id, api: api.api, baseUrl: endpoint.baseUrl, needsKey: key.trim() !== "" });
    return (await this.#testAndPick(endpoint)) ?? (await this.#nameModel(endpoint));
  }

  async #nameModel(endpoint: KnownEndpoint): Promise<Model | undefined> {
    const id = await vscode.window.showInputBox({
      title: vscode.l10n.t("Model"),
      prompt: vscode.l10n.t("{0} lists no models; which one should be used?", endpoint.name),
      ignoreFocusOut: true,
    });
    if (id === undefined || id.trim() === "") return undefined;
    const model = await this.#side.modelFor(endpoint, id.trim());
    this.#found.set(endpoint.id, [model]);
    await this.refresh();
    await this.choose(model);
    return model;
  }

  async #lookForLocal(): Promise<Model | undefined> {
    const found = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: vscode.l10n.t("Looking for local models…"),
        cancellable: true,
      },
      (_progress, token) => this.#side.probeLocal(signalOf(token)),
    );
    for (const { endpoint, models } of found) {
      this.#found.set(endpoint.id, models);
      const known = this.#configuration.providers().some((provider) => provider.id === endpoint.id);
      if (!known && endpoint.api !== "vscode-lm" && endpoint.api !== "coppice-demo") {
        await this.#configuration.addProvider({
          id: endpoint.id,
          name: endpoint.name,
          api: endpoint.api,
          baseUrl: endpoint.baseUrl,
          needsKey: false,
          models: models.map((model) => ({
            id: model.id,
            contextWindow: model.contextWindow,
            maxTokens: model.maxTokens,
          })),
        });
      }
    }
    await this.refresh();
    const models = found.flatMap((server) => server.models);
    if (models.length === 0) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t(
          "No local server answered on the usual ports. Start Ollama, LM Studio, llama.cpp or vLLM, or add an endpoint.",
        ),
      );
      return undefined;
    }
    return models.length === 1 ? models[0] : await this.#pickFrom(models, vscode.l10n.t("Local models"));
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

/** An abort signal that follows a cancellation token. */
export function signalOf(token: vscode.CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
