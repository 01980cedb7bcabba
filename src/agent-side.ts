// What the first session loads: harness, tools and prompt, put together with the machine and the editor's settings.
import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import * as vscode from "vscode";
import { AgentHarness } from "./core/harness/agent-harness.ts";
import type { Hooks } from "./core/harness/hooks.ts";
import { buildSystemPrompt } from "./core/harness/system-prompt.ts";
import { sleep } from "./core/llm/retry.ts";
import type { Clock, FileSystem, Shell } from "./core/ports.ts";
import { createBuiltInTools } from "./core/tools/built-in-tools.ts";
import { describeTool } from "./core/tools/describe-tool.ts";
import { findRipgrep } from "./node/ripgrep.ts";
import { workspaceRoots } from "./vscode/chat-surroundings.ts";
import type { Configuration } from "./vscode/configuration.ts";
import type { Registrations } from "./vscode/create-api.ts";
import { readInstructionFiles } from "./vscode/instructions.ts";
import type { ModelService } from "./vscode/model-service.ts";
import type { AgentSide } from "./vscode/open-session.ts";
import type { WorkspaceResources } from "./vscode/workspace-resources.ts";

export interface AgentSideParts {
  clock: Clock;
  fs: FileSystem;
  shell: Shell;
  hooks: Hooks;
  models: ModelService;
  configuration: Configuration;
  registrations: Registrations;
  resources: WorkspaceResources;
  spoolDirectory: () => Promise<string>;
  log: vscode.LogOutputChannel;
}

/** Compared as addresses: separators and the case of a drive letter differ between the two spellings of a path. */
function isDirty(path: string): boolean {
  const address = vscode.Uri.file(path).toString();
  return vscode.workspace.textDocuments.some((document) => document.isDirty && document.uri.toString() === address);
}

/** Makes harnesses and their tools for the sessions of this window. */
export function createAgentSide(parts: AgentSideParts): AgentSide {
  const { clock, fs, shell, hooks, models, configuration, registrations, resources, log } = parts;
  return {
    createHarness: (options) => new AgentHarness(options),
    tools: (session, approvals) => [
      ...createBuiltInTools(
        {
          fs,
          shell,
          cwd: session.cwd,
          roots: workspaceRoots(session),
          home: homedir(),
          windows: process.platform === "win32",
          ripgrep: () => findRipgrep(vscode.env.appRoot),
          spoolDirectory: parts.spoolDirectory,
          isDirty,
          guard: (callId, proposal) => approvals.guard(callId, proposal),
          readable: () => resources.skillFolders(session.cwd),
        },
        session,
      ),
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
        streamFunctionFor: (model) => {
          // Before trust nothing is sent, whatever asks for it (security §0).
          if (!vscode.workspace.isTrusted) {
            throw new Error(vscode.l10n.t("The workspace is restricted: nothing is sent."));
          }
          return models.streamFunctionFor(model);
        },
        getApiKey: (model) => models.apiKey(model),
        freshRoutingId: randomUUID,
        sleep,
        now: () => clock.now(),
      },
      systemPrompt: async (tools) =>
        buildSystemPrompt({
          cwd: session.cwd,
          tools,
          skills: (await resources.load(session.cwd)).skills.filter((skill) => skill.forModel),
          instructionFiles: await readInstructionFiles(session.cwd, configuration.instructionFiles(), (name, removed) =>
            log.warn(`${name} holds ${removed} invisible characters; they are not sent.`),
          ),
        }),
    }),
  };
}
