// Activation: the object graph of the extension, top to bottom. Everything else is handed what it needs.
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { Hooks } from "./core/harness/hooks.ts";
import type { Api } from "./core/llm/model.ts";
import type { Shell } from "./core/ports.ts";
import type { EntryProjector } from "./core/session/context.ts";
import { JsonlSessionRepo } from "./core/session/jsonl-repo.ts";
import { nodeFileSystem } from "./node/file-system.ts";
import { createIds, systemClock } from "./node/ids.ts";
import { DEMO_MODEL } from "./providers/demo-model.ts";
import { CLOUD_ENDPOINTS, type Endpoint } from "./providers/endpoints.ts";
import { streamFunctionFor } from "./providers/registry.ts";
import type { CoppiceApi } from "./vscode/api.ts";
import { ChatController } from "./vscode/chat-controller.ts";
import type { ChatOpeners } from "./vscode/chat-openers.ts";
import { attachmentsOf, modelView, pageStrings, slashCommands } from "./vscode/chat-surroundings.ts";
import { CHAT_VIEW_ID, ChatView } from "./vscode/chat-view.ts";
import { registerCommands } from "./vscode/commands/register.ts";
import { Configuration, PiSettingsFiles } from "./vscode/configuration.ts";
import { trackContextKeys } from "./vscode/context-keys.ts";
import { createApi, type Registrations } from "./vscode/create-api.ts";
import { Documents } from "./vscode/documents.ts";
import { EntryActions } from "./vscode/entry-actions.ts";
import type { ModelPicker } from "./vscode/model-picker.ts";
import { type EditorModels, ModelService, type ProviderSide } from "./vscode/model-service.ts";
import type { SessionSurroundings } from "./vscode/open-session.ts";
import { registerTree } from "./vscode/register-tree.ts";
import { redact, reportError } from "./vscode/report-error.ts";
import { Secrets } from "./vscode/secrets.ts";
import { SessionActions } from "./vscode/session-actions.ts";
import { SessionCosts } from "./vscode/session-costs.ts";
import { SessionService } from "./vscode/session-service.ts";
import { SessionTrash } from "./vscode/session-trash.ts";
import { setupChoices } from "./vscode/setup-choices.ts";
import { createStatusItem } from "./vscode/status-item.ts";
import { summaryForReading } from "./vscode/summary-for-reading.ts";
import { WorkspaceResources } from "./vscode/workspace-resources.ts";

let shutDown: (() => Promise<void>) | undefined;

export function activate(context: vscode.ExtensionContext): CoppiceApi {
  const log = vscode.window.createOutputChannel("Coppice", { log: true });
  const own = <T extends vscode.Disposable>(disposable: T): T => {
    context.subscriptions.push(disposable);
    return disposable;
  };
  own(log);

  // The machine.
  const clock = systemClock;
  const ids = createIds(clock);
  const fs = nodeFileSystem;
  const workspaceFolder = () => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const nodeShell = async () => (await import("./node/shell.ts")).createNodeShell(workspaceFolder);
  const shell: Shell = {
    run: async (...call) => await (await nodeShell()).run(...call),
    exec: async (...call) => await (await nodeShell()).exec(...call),
  };
  let spool: Promise<string> | undefined;
  const spoolDirectory = () => {
    spool ??= mkdtemp(join(tmpdir(), "coppice-"));
    return spool;
  };

  // Settings and keys.
  const pi = new PiSettingsFiles(async (path) => {
    const stat = await fs.stat(path);
    return stat === undefined ? undefined : new TextDecoder().decode(await fs.readFile(path));
  });
  const configuration = own(new Configuration(pi));
  const loadPiSettings = async () => {
    const folder = workspaceFolder();
    const paths = [join(homedir(), ".pi", "agent", "settings.json")];
    if (folder !== undefined && vscode.workspace.isTrusted) paths.push(join(folder, ".pi", "settings.json"));
    for (const problem of await pi.load(paths)) log.warn(`${problem.what}: ${problem.reason}; it counts as empty.`);
  };
  const secrets = new Secrets(context.secrets);

  // Sessions.
  const registrations: Registrations = { tools: [], projectors: new Map() };
  const trash = new SessionTrash(
    fs,
    join(homedir(), ".coppice", "trash"),
    () => treeSide.sessionsChanged(),
    (error) => void reportError(log, error, "trash"),
  );
  const repoAt = (root: string, name: string) =>
    new JsonlSessionRepo({
      fs,
      clock,
      ids,
      root,
      projectors: registrations.projectors as ReadonlyMap<string, EntryProjector>,
      trash: (path) => trash.take(path),
      cataloguePath: join(context.globalStorageUri.fsPath, `catalogue-${name}.json`),
    });
  const piRoot = join(homedir(), ".pi", "agent", "sessions");
  let ownRoot: { root: string; repo: JsonlSessionRepo } | undefined;
  const repos = {
    own: () => {
      const root = configuration.sessionsRoot() || join(homedir(), ".coppice", "sessions");
      if (ownRoot?.root !== root) {
        const name = createHash("sha256").update(root).digest("hex").slice(0, 12);
        ownRoot = { root, repo: repoAt(root, name) };
      }
      return ownRoot.repo;
    },
    pi: () => (configuration.includePi() && existsSync(piRoot) ? piRepo : undefined),
  };
  const piRepo = repoAt(piRoot, "pi");

  // Models.
  const providers: ProviderSide = {
    demo: DEMO_MODEL,
    knownEndpoints: CLOUD_ENDPOINTS,
    streamFunctionFor,
    catalogModels: async (endpoint) => (await import("./providers/catalog.ts")).catalogModels(asEndpoint(endpoint)),
    modelFor: async (endpoint, id) => (await import("./providers/catalog.ts")).modelOf(asEndpoint(endpoint), { id }),
    listModels: async (endpoint, apiKey, signal) =>
      (await import("./providers/list-models.ts")).listModels(asEndpoint(endpoint), {
        signal,
        ...(apiKey === undefined ? {} : { apiKey }),
      }),
    probeLocal: async () => (await import("./providers/list-models.ts")).probeLocal(),
  };
  const editorModels: EditorModels = {
    list: async () => (await import("./vscode/vscode-lm.ts")).listEditorModels(vscode),
    stream: async function* (model, request, options) {
      const [{ createVscodeLm }, { adapter }] = await Promise.all([
        import("./vscode/vscode-lm.ts"),
        import("./providers/stream-runner.ts"),
      ]);
      yield* createVscodeLm(vscode, adapter)(model, request, options);
    },
    onDidChange: vscode.lm.onDidChangeChatModels,
  };
  const models = own(
    new ModelService(providers, editorModels, configuration, secrets, context.globalState, (source, error) =>
      log.warn(`The models of the ${source} could not be listed: ${redact(String(error))}`),
    ),
  );

  let pickerLoaded: Promise<ModelPicker> | undefined;
  const picker = () => {
    pickerLoaded ??= import("./vscode/model-picker.ts").then(
      ({ ModelPicker }) => new ModelPicker(models, configuration, secrets),
    );
    return pickerLoaded;
  };

  // The agent.
  const hooks = new Hooks((failure) => {
    log.error(
      `A hook of ${failure.source} failed (${failure.hook}): ${redact(failure.error.stack ?? failure.error.message)}`,
    );
    const open = sessions.current;
    if (open !== undefined) {
      const text = vscode.l10n.t(
        "A hook of {0} failed and was passed over: {1}",
        failure.source,
        failure.error.message,
      );
      controller.notice(open, "warning", text);
    }
  });
  hooks.enabled = configuration.hooksEnabled();
  let prepared: Promise<void> | undefined;
  const resources = own(
    new WorkspaceResources(
      fs,
      homedir(),
      () => clock.now(),
      ({ path, reason }) => log.warn(`${path} is not used: ${reason}.`),
    ),
  );
  const surroundings: SessionSurroundings = {
    newId: randomUUID,
    now: () => clock.now(),
    ready: () => {
      prepared ??= loadPiSettings().then(() => models.refresh());
      return prepared;
    },
    modelName: (provider, id) => models.nameOf(provider, id),
    approvals: { mode: () => configuration.approvalsMode(), allowedCommands: () => configuration.allowedCommands() },
    agent: async () =>
      (await import("./agent-side.ts")).createAgentSide({
        clock,
        fs,
        shell,
        hooks,
        models,
        configuration,
        registrations,
        resources,
        spoolDirectory,
        log,
      }),
  };
  const sessions = own(
    new SessionService(
      {
        create: (cwd) => repos.own().create({ cwd }),
        open: (path) => (path.startsWith(piRoot) ? piRepo : repos.own()).open(path),
        isPi: (path) => path.startsWith(piRoot),
      },
      surroundings,
      context.workspaceState,
    ),
  );

  // What a person sees.
  const documents = own(new Documents());
  const costs = own(new SessionCosts());
  const entryActions = new EntryActions(documents, {
    offerText: (...words) => controller.offerText(...words),
    shown: (id) =>
      chat.hosts.map((host) => host.open).find((open) => open?.session.id === id) ??
      (sessions.current?.session.id === id ? sessions.current : undefined),
  });
  const sessionActions = new SessionActions({
    sessions,
    repos,
    exportSession: async (session, format) => {
      const { exportSession } = await import("./core/session/export-session.ts");
      let text = "";
      for await (const part of exportSession(session, format)) text += part;
      return text;
    },
    changed: () => treeSide.sessionsChanged(),
  });
  let openersLoaded: Promise<ChatOpeners> | undefined;
  const openers = () => {
    openersLoaded ??= import("./vscode/chat-openers.ts").then(({ ChatOpeners }) => new ChatOpeners(documents));
    return openersLoaded;
  };
  const controller: ChatController = new ChatController({
    sessions,
    models,
    picker,
    configuration,
    openers,
    sessionActions,
    entryActions,
    log,
    now: () => clock.now(),
    words: {
      state: context.workspaceState,
      newId: randomUUID,
      hosts: () => chat.hosts,
      reveal: () => chat.reveal(),
      current: () => sessions.current,
    },
    expandSlash: (text, open) => resources.expand(text, open.session.cwd),
  });
  let decide = () => {};
  const decided = new Promise<void>((resolve) => {
    decide = resolve;
  });
  const chat: ChatView = own(
    new ChatView(context.extensionUri, sessions, {
      log,
      decided,
      modelName: surroundings.modelName,
      readable: summaryForReading,
      strings: pageStrings(),
      handle: (message, host) => controller.handle(message, host),
      shown: (host) => controller.shown(host),
      frameInput: (open, harnessContext) => ({
        open,
        title: open?.title,
        configuration,
        context: harnessContext,
        costUsd: costs.of(open),
        defaultModel: modelView(models.chosen),
        defaultThinking: { level: models.chosenLevel, levels: models.chosen?.thinkingLevels ?? [] },
        setup:
          models.isListed && (open?.harness.model ?? models.chosen) === undefined
            ? setupChoices(models.editorModels)
            : null,
        attachments: attachmentsOf(chat.hosts, open),
        slashCommands: [...slashCommands(), ...resources.commands(open?.session.cwd ?? workspaceFolder())],
      }),
    }),
  );
  own(vscode.window.registerWebviewViewProvider(CHAT_VIEW_ID, chat));
  own(sessions.onDidOpen((open) => controller.watch(open)));
  const treeSide = own(
    registerTree({
      extensionUri: context.extensionUri,
      sessions,
      sessionActions,
      entryActions,
      chat,
      documents,
      configuration,
      repos,
      shell,
      openFile: (path) => (path.startsWith(piRoot) ? piRepo : repos.own()).open(path),
      previewRequest: async (model, request, options) =>
        (await import("./providers/request-preview.ts")).previewRequest(model, request, options).body,
      state: context.workspaceState,
      log,
    }),
  );
  own(trackContextKeys(sessions));
  own(createStatusItem(sessions));
  own(
    models.onDidChange(() => {
      for (const open of sessions.all) void open.harness.lookForMissingModel();
      chat.refreshFrames();
    }),
  );
  own(resources.onDidChange(() => chat.refreshFrames()));
  own(costs.onDidChange(() => chat.refreshFrames()));
  own(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration("coppice")) return;
      hooks.enabled = configuration.hooksEnabled();
      for (const open of sessions.all) open.approvals.reconsider();
      void models.refresh();
    }),
  );
  own(
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      void loadPiSettings();
      chat.refreshFrames();
    }),
  );
  own(vscode.workspace.onDidChangeWorkspaceFolders(() => chat.refreshFrames()));
  for (const disposable of registerCommands(
    { sessions, chat, controller, sessionActions, entryActions, models, picker, log },
    {
      "coppice.openSample": async () =>
        (await import("./vscode/commands/open-sample.ts")).openSample(
          context.extensionUri,
          sessionActions,
          repos.own(),
        ),
    },
  )) {
    own(disposable);
  }

  // The last session comes back; models are listed without asking any server.
  void surroundings.ready().catch((error) => reportError(log, error, "listing the models"));
  void sessionActions
    .restoreLast()
    .catch((error) => reportError(log, error, "restoring the last session"))
    .finally(decide);
  if (existsSync(piRoot)) {
    void import("./vscode/ask-pi-root.ts").then(({ askPiRoot }) => askPiRoot(context.globalState, piRoot));
  }
  // The first time that anything of Coppice is opened, the chat shows too (product.md Names); after that the layout is the
  // person's own.
  if (!context.globalState.get("coppice.chatShown", false)) {
    void context.globalState.update("coppice.chatShown", true);
    void chat.reveal(true);
  }
  shutDown = () => sessions.shutDown();
  return createApi(hooks, sessions, registrations);
}

function asEndpoint(endpoint: { id: string; name?: string | undefined; api: Api; baseUrl: string }): Endpoint {
  return { needsKey: true, ...endpoint, name: endpoint.name ?? endpoint.id };
}

export async function deactivate(): Promise<void> {
  await shutDown?.();
}
