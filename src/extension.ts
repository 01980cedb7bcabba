// Activation: the object graph of the extension, top to bottom. Everything else is handed what it needs.
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { Hooks } from "./core/harness/hooks.ts";
import type { Api } from "./core/llm/model.ts";
import { sleep } from "./core/llm/retry.ts";
import type { EntryProjector } from "./core/session/context.ts";
import { JsonlSessionRepo } from "./core/session/jsonl-repo.ts";
import { nodeFileSystem } from "./node/file-system.ts";
import { createIds, systemClock } from "./node/ids.ts";
import { findRipgrep } from "./node/ripgrep.ts";
import { createNodeShell } from "./node/shell.ts";
import { DEMO_MODEL } from "./providers/demo-model.ts";
import { CLOUD_ENDPOINTS, type Endpoint } from "./providers/endpoints.ts";
import { streamFunctionFor } from "./providers/registry.ts";
import { adapter } from "./providers/stream-runner.ts";
import { type CoppiceApi, createApi, type Registrations } from "./vscode/api.ts";
import { ChatController } from "./vscode/chat-controller.ts";
import { attachmentsOf, modelView, slashCommands, workspaceRoots } from "./vscode/chat-surroundings.ts";
import { CHAT_VIEW_ID, ChatView } from "./vscode/chat-view.ts";
import { openSample } from "./vscode/commands/open-sample.ts";
import { registerCommands } from "./vscode/commands/register.ts";
import { Configuration, PiSettingsFiles } from "./vscode/configuration.ts";
import { trackContextKeys } from "./vscode/context-keys.ts";
import { Documents } from "./vscode/documents.ts";
import { EntryActions } from "./vscode/entry-actions.ts";
import { readInstructionFiles } from "./vscode/instructions.ts";
import { type EditorModels, ModelService, type ProviderSide } from "./vscode/model-service.ts";
import { redact, reportError } from "./vscode/report-error.ts";
import { Secrets } from "./vscode/secrets.ts";
import { SessionActions } from "./vscode/session-actions.ts";
import { SessionService, type SessionSurroundings } from "./vscode/session-service.ts";
import { createVscodeLm, listEditorModels } from "./vscode/vscode-lm.ts";

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
  const shell = createNodeShell(workspaceFolder);
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
  const configuration = new Configuration(pi);
  const loadPiSettings = async () => {
    const folder = workspaceFolder();
    const paths = [join(homedir(), ".pi", "agent", "settings.json")];
    if (folder !== undefined && vscode.workspace.isTrusted) paths.push(join(folder, ".pi", "settings.json"));
    for (const problem of await pi.load(paths)) log.warn(`${problem.what}: ${problem.reason}; it counts as empty.`);
  };
  const secrets = new Secrets(context.secrets);

  // Sessions.
  const registrations: Registrations = { tools: [], projectors: new Map() };
  const repoAt = (root: string, name: string) =>
    new JsonlSessionRepo({
      fs,
      clock,
      ids,
      root,
      projectors: registrations.projectors as ReadonlyMap<string, EntryProjector>,
      trash: async (path) => {
        await vscode.workspace.fs.delete(vscode.Uri.file(path), { useTrash: true });
      },
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
    list: () => listEditorModels(vscode),
    stream: createVscodeLm(vscode, adapter),
    onDidChange: vscode.lm.onDidChangeChatModels,
  };
  const models = own(new ModelService(providers, editorModels, configuration, secrets, context.globalState));

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
  const surroundings: SessionSurroundings = {
    newId: randomUUID,
    now: () => clock.now(),
    modelName: (provider, id) => models.nameOf(provider, id),
    approvals: { mode: () => configuration.approvalsMode(), allowedCommands: () => configuration.allowedCommands() },
    agent: async () => {
      const [{ AgentHarness }, { createBuiltInTools }, { describeTool }, { buildSystemPrompt }] = await Promise.all([
        import("./core/harness/agent-harness.ts"),
        import("./core/tools/built-in-tools.ts"),
        import("./core/tools/describe-tool.ts"),
        import("./core/harness/system-prompt.ts"),
      ]);
      return {
        createHarness: (options) => new AgentHarness(options),
        tools: (session, approvals) => [
          ...createBuiltInTools({
            fs,
            shell,
            cwd: session.cwd,
            roots: workspaceRoots(session),
            home: homedir(),
            windows: process.platform === "win32",
            ripgrep: () => findRipgrep(vscode.env.appRoot),
            spoolDirectory,
            isDirty: (path) =>
              vscode.workspace.textDocuments.some((document) => document.isDirty && document.uri.fsPath === path),
            guard: (callId, proposal) => approvals.guard(callId, proposal),
          }),
          ...registrations.tools,
        ],
        harness: (session) => ({
          model: models.chosen,
          thinkingLevel: models.chosenLevel,
          describeTool,
          hooks,
          settings: () => configuration.harness(),
          findModel: (provider, id) => models.find(provider, id),
          newId: randomUUID,
          access: {
            streamFunctionFor: (model) => models.streamFunctionFor(model),
            getApiKey: (model) => models.apiKey(model),
            freshRoutingId: randomUUID,
            sleep,
            now: () => clock.now(),
          },
          systemPrompt: async (tools) =>
            buildSystemPrompt({
              cwd: session.cwd,
              tools,
              skills: [],
              instructionFiles: await readInstructionFiles(
                session.cwd,
                configuration.instructionFiles(),
                (name, removed) => log.warn(`${name} holds ${removed} invisible characters; they are not sent.`),
              ),
            }),
        }),
      };
    },
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
  const entryActions = new EntryActions(documents, {
    offerText: async (open, text) => {
      const host = chat.hosts.find((candidate) => candidate.open === open) ?? (await chat.reveal());
      host?.post({ type: "composer.set", text, ifEmpty: true });
    },
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
    changed: () => {},
  });
  const controller: ChatController = new ChatController({
    sessions,
    models,
    configuration,
    documents,
    sessionActions,
    entryActions,
    log,
    now: () => clock.now(),
    expandSlash: async () => undefined,
  });
  const chat: ChatView = own(
    new ChatView(context.extensionUri, sessions, {
      log,
      modelName: surroundings.modelName,
      strings: {},
      handle: (message, host) => controller.handle(message, host),
      frameInput: (open, harnessContext) => ({
        open,
        title: open?.session.getName() ?? open?.firstPrompt,
        configuration,
        context: harnessContext,
        costUsd: undefined,
        defaultModel: modelView(models.chosen),
        defaultThinking: { level: models.chosenLevel, levels: models.chosen?.thinkingLevels ?? [] },
        setup: (open?.harness.model ?? models.chosen) === undefined ? models.setupChoices() : null,
        attachments: attachmentsOf(chat.hosts, open),
        slashCommands: slashCommands(),
      }),
    }),
  );
  own(vscode.window.registerWebviewViewProvider(CHAT_VIEW_ID, chat));
  own(trackContextKeys(sessions));
  own(models.onDidChange(() => chat.refreshFrames()));
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
    { sessions, chat, controller, sessionActions, entryActions, models, log },
    {
      "coppice.openSample": () => openSample(context.extensionUri, sessionActions, repos.own()),
    },
  )) {
    own(disposable);
  }

  // The last session comes back; models are listed without asking any server.
  const restore = async () => {
    await loadPiSettings();
    await models.refresh();
    const file = sessions.lastFile;
    if (file !== undefined && sessions.current === undefined && existsSync(file)) await sessionActions.open(file);
  };
  void restore().catch((error) => reportError(log, error, "restoring the last session"));
  shutDown = () => sessions.shutDown();
  return createApi(hooks, sessions, registrations);
}

function asEndpoint(endpoint: { id: string; name?: string | undefined; api: Api; baseUrl: string }): Endpoint {
  return { needsKey: true, ...endpoint, name: endpoint.name ?? endpoint.id };
}

export async function deactivate(): Promise<void> {
  await shutDown?.();
}
