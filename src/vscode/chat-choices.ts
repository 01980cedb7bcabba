// What a person chooses for a chat: the model, its thinking level, and what may happen without a question.
import * as vscode from "vscode";
import { HarnessError } from "../core/errors.ts";
import type { ApprovalsMode } from "../protocol/view-state.ts";
import type { Configuration } from "./configuration.ts";
import type { ModelPicker } from "./model-picker.ts";
import type { ModelService } from "./model-service.ts";
import type { OpenSession } from "./open-session.ts";
import type { SessionService } from "./session-service.ts";

export interface ChoiceServices {
  sessions: SessionService;
  models: ModelService;
  picker: () => Promise<ModelPicker>;
  configuration: Configuration;
}

export class ChatChoices {
  readonly #services: ChoiceServices;

  constructor(services: ChoiceServices) {
    this.#services = services;
  }

  async chooseModel(open: OpenSession | undefined): Promise<void> {
    const current = open?.harness.model ?? this.#services.models.chosen;
    const model = await (await this.#services.picker()).pick(current);
    if (model !== undefined) await open?.harness.setModel(model);
  }

  /** Follows a choice of the card that shows while there is no model. */
  async setUp(choiceId: string, open: OpenSession | undefined): Promise<void> {
    const model = await (await this.#services.picker()).setUp(choiceId);
    if (model !== undefined) await open?.harness.setModel(model);
  }

  async pickThinking(open: OpenSession | undefined): Promise<void> {
    const model = open?.harness.model ?? this.#services.models.chosen;
    if (model === undefined) throw new HarnessError("auth", vscode.l10n.t("Choose a model first."));
    const current = open?.harness.thinkingLevel ?? this.#services.models.chosenLevel;
    const level = await (await this.#services.picker()).pickLevel(model, current);
    if (level !== undefined) await open?.harness.setThinkingLevel(level);
  }

  async setMode(mode: ApprovalsMode): Promise<void> {
    if (mode === "all" && this.#services.configuration.approvalsMode() !== "all") {
      const allow = vscode.l10n.t("Allow Everything");
      const answer = await vscode.window.showWarningMessage(
        vscode.l10n.t("Let Coppice change files and run commands without asking?"),
        {
          modal: true,
          detail: vscode.l10n.t(
            "Commands run with your rights and are not confined. Changes outside the workspace, to files that run code or steer agents, and commands that plainly use the network still ask.",
          ),
        },
        allow,
      );
      if (answer !== allow) {
        for (const open of this.#services.sessions.all) open.notifyChanged();
        return;
      }
    }
    await this.#services.configuration.setApprovalsMode(mode);
    for (const open of this.#services.sessions.all) {
      open.approvals.reconsider();
      open.notifyChanged();
    }
  }
}
