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
import type { Configuration, ProviderSetting } from "./configuration.ts";
import { withPatience } from "./patience.ts";
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

/** Where models are known from. */
export type ModelSource = "catalogue" | "settings" | "editor";

/** The editor asks other extensions for theirs, and the keyring may ask the person: neither keeps the chat waiting. */
const PATIENCE_MS = 2000;
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
  readonly #listed: Record<ModelSource, Model[]> = { catalogue: [], settings: [], editor: [] };
  /** How often each was asked for. */
  readonly #asked: Record<ModelSource, number> = { catalogue: 0, settings: 0, editor: 0 };
  #isListed = false;
  readonly #failed: (source: ModelSource, error: unknown) => undefined;
  /** Models were listed or the choice changed. */
  readonly onDidChange = this.#changed.event;

  constructor(
    side: ProviderSide,
    editor: EditorModels,
    configuration: Configuration,
    secrets: Secrets,
    state: vscode.Memento,
    failed: (source: ModelSource, error: unknown) => void,
  ) {
    this.#side = side;
    this.#editor = editor;
    this.#configuration = configuration;
    this.#secrets = secrets;
    this.#state = state;
    this.#failed = (source, error) => void failed(source, error);
    this.#disposables.push(editor.onDidChange(() => void this.refresh()));
  }

  /**
   * Lists again from settings, catalogue and editor; sends nothing to any endpoint. Each is listed by itself and told by
   * `onDidChange` when it comes: one that fails leaves what it had, and one that does not answer within `PATIENCE_MS` is
   * waited for no longer.
   */
  async refresh(): Promise<void> {
    const list = async (source: ModelSource, models: () => Promise<Model[]>) => {
      const asked = ++this.#asked[source];
      const found = await models().catch((error: unknown) => this.#failed(source, error));
      // A list that was asked for later knows more, however early it came.
      if (found === undefined || asked !== this.#asked[source]) return;
      this.#listed[source] = found;
      this.#gather();
      this.#changed.fire();
    };
    const listing = Promise.all([
      list("settings", () => this.#ofSettings()),
      list("catalogue", () => this.#ofCatalogue()),
      list("editor", () => this.#editor.list()),
    ]);
    await withPatience(listing, PATIENCE_MS);
    this.#isListed = true;
    this.#gather();
    this.#changed.fire();
  }

  /** False until all were asked: until then it cannot be said that there are none. */
  get isListed(): boolean {
    return this.#isListed;
  }

  /** One list of all; of two models with one key the later source's holds, in the place of the first. */
  #gather(): void {
    const models = new Map<string, Model>();
    const { catalogue, settings, editor } = this.#listed;
    for (const list of [[this.#side.demo], catalogue, settings, ...this.#found.values(), editor]) {
      for (const model of list) models.set(modelKey(model), model);
    }
    this.#models = models;
  }

  async #ofCatalogue(): Promise<Model[]> {
    const models: Model[] = [];
    for (const endpoint of this.#side.knownEndpoints) {
      if ((await this.#secrets.get(endpoint.id, endpoint.baseUrl)) === undefined) continue;
      models.push(...(await this.#side.catalogModels(endpoint)));
    }
    return models;
  }

  async #ofSettings(): Promise<Model[]> {
    const models: Model[] = [];
    for (const provider of this.#configuration.providers()) {
      const given = provider.models ?? [];
      if (given.length === 0) models.push(...(await this.#side.catalogModels(provider)));
      for (const one of given) models.push(await this.#configured(provider, one));
    }
    return models;
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

  /** Models that a server reported, or that were named for it; kept until the window closes. */
  remember(endpointId: string, models: Model[]): void {
    this.#found.set(endpointId, models);
    this.#gather();
  }

  /** Models of the editor, as last listed. */
  get editorModels(): readonly Model[] {
    return this.#listed.editor;
  }
  get side(): ProviderSide {
    return this.#side;
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

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}
