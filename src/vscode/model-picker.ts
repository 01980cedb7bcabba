// Choosing a model, an endpoint, a key: the native flow (providers §8).
import * as vscode from "vscode";
import { type Model, modelKey, type ThinkingLevel } from "../core/llm/model.ts";
import { signalOf } from "./cancellation.ts";
import type { Configuration } from "./configuration.ts";
import type { KnownEndpoint, ModelService } from "./model-service.ts";
import type { Secrets } from "./secrets.ts";

export class ModelPicker {
  readonly #models: ModelService;
  readonly #configuration: Configuration;
  readonly #secrets: Secrets;

  constructor(models: ModelService, configuration: Configuration, secrets: Secrets) {
    this.#models = models;
    this.#configuration = configuration;
    this.#secrets = secrets;
  }

  #modelByKey(key: string): Model | undefined {
    return this.#models.all.find((model) => modelKey(model) === key);
  }

  /** Carries out a choice of the set-up card; the model chosen, or undefined where the person turned back. */
  async setUp(choiceId: string): Promise<Model | undefined> {
    let model: Model | undefined;
    if (choiceId === "demo") model = this.#models.side.demo;
    else if (choiceId === "key") model = await this.#enterKey();
    else if (choiceId === "local") model = await this.#lookForLocal();
    else if (choiceId.startsWith("model:")) model = this.#modelByKey(choiceId.slice("model:".length));
    if (model !== undefined) await this.#models.choose(model);
    return model;
  }

  async pick(current: Model | undefined): Promise<Model | undefined> {
    await this.#models.refresh();
    type Item = vscode.QuickPickItem & { model?: Model; action?: string };
    const items: Item[] = [];
    let provider = "";
    for (const model of this.#models.all.sort((a, b) =>
      a.api === "coppice-demo" ? 1 : b.api === "coppice-demo" ? -1 : 0,
    )) {
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
    if (picked?.model !== undefined) await this.#models.choose(picked.model);
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
    if (level !== undefined) await this.#models.chooseLevel(level);
    return level;
  }

  /** Endpoints and keys: add, replace, test, remove. */
  async manage(): Promise<Model | undefined> {
    type Item = vscode.QuickPickItem & { endpoint?: KnownEndpoint & { configured: boolean }; action?: string };
    const items: Item[] = [];
    const endpoints = [
      ...this.#models.side.knownEndpoints.map((endpoint) => ({ ...endpoint, configured: false })),
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
      await this.#models.refresh();
    }
    if (action === test) return await this.#testAndPick(endpoint);
    return undefined;
  }

  async #enterKey(): Promise<Model | undefined> {
    type Item = vscode.QuickPickItem & { endpoint?: KnownEndpoint };
    const items: Item[] = this.#models.side.knownEndpoints.map((endpoint) => ({
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
        (_progress, token) => this.#models.side.listModels(endpoint, key, signalOf(token)),
      );
      this.#models.remember(endpoint.id, live);
    } catch (error) {
      void vscode.window.showWarningMessage(
        vscode.l10n.t("{0} did not list its models: {1}", endpoint.name, (error as Error).message),
      );
    }
    await this.#models.refresh();
    const models = this.#models.all.filter((model) => model.provider === endpoint.id);
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
    if (picked !== undefined) await this.#models.choose(picked.model);
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
      ignoreFocusOut: true,
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
    const model = await this.#models.side.modelFor(endpoint, id.trim());
    this.#models.remember(endpoint.id, [model]);
    await this.#models.refresh();
    await this.#models.choose(model);
    return model;
  }

  async #lookForLocal(): Promise<Model | undefined> {
    const found = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: vscode.l10n.t("Looking for local models…"),
        cancellable: true,
      },
      (_progress, token) => this.#models.side.probeLocal(signalOf(token)),
    );
    for (const { endpoint, models } of found) {
      this.#models.remember(endpoint.id, models);
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
    await this.#models.refresh();
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
}
