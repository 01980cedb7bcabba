// The context inspector: an editor tab with what the model was sent and what it will be sent.
import * as vscode from "vscode";
import { HarnessError } from "../core/errors.ts";
import { PIN_CUSTOM_TYPE } from "../core/harness/session-memory.ts";
import { convertToLlm } from "../core/llm/messages.ts";
import type { Model } from "../core/llm/model.ts";
import type { LlmContext, StreamOptions } from "../core/llm/stream.ts";
import {
  type FromInspector,
  fromInspectorSchema,
  type InspectorState,
  type ToInspector,
} from "../protocol/inspector.ts";
import { sessionTabSchema } from "../protocol/session-tab.ts";
import type { Documents } from "./documents.ts";
import {
  cacheBoundary,
  contextHistory,
  droppedEntries,
  inspectorItems,
  sentParts,
  systemParts,
  toolPart,
} from "./inspector-state.ts";
import type { OpenSession } from "./open-session.ts";
import { pageHtml, pageOptions } from "./page-html.ts";
import type { SessionService } from "./session-service.ts";
import { followTitle, nameOfOpen } from "./session-tab-title.ts";
import { showInChat } from "./show-in-chat.ts";
import { shortTokens } from "./tree-labels.ts";

const REFRESH_MS = 500;

export interface InspectorServices {
  extensionUri: vscode.Uri;
  sessions: Pick<SessionService, "open" | "find" | "setCurrent">;
  documents: Documents;
  log: vscode.LogOutputChannel;
  /** The body of the next request before hooks (the providers' side). */
  previewRequest: (
    model: Model,
    context: LlmContext,
    options: Partial<Pick<StreamOptions, "thinkingLevel" | "routingId">>,
  ) => Promise<unknown>;
  onError: (error: unknown) => void;
}

/** One tab a session. */
export class ContextInspector implements vscode.Disposable {
  readonly #services: InspectorServices;
  readonly #panels = new Map<OpenSession, vscode.WebviewPanel>();

  constructor(services: InspectorServices) {
    this.#services = services;
  }

  open(open: OpenSession): void {
    const known = this.#panels.get(open);
    if (known !== undefined) return known.reveal();
    const title = vscode.l10n.t("Context");
    const options = pageOptions(this.#services.extensionUri);
    this.#fill(open, vscode.window.createWebviewPanel("coppice.inspector", title, vscode.ViewColumn.Active, options));
  }

  /** Fills a tab that was there before the window was loaded again. Throws where its session is not to be had. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const open = await this.#services.sessions.open(sessionTabSchema.parse(state).file);
    if (this.#panels.has(open)) {
      panel.dispose();
      return;
    }
    panel.webview.options = pageOptions(this.#services.extensionUri);
    this.#fill(open, panel);
  }

  #fill(open: OpenSession, panel: vscode.WebviewPanel): void {
    const { extensionUri } = this.#services;
    panel.iconPath = new vscode.ThemeIcon("inspect");
    this.#panels.set(open, panel);
    let timer: NodeJS.Timeout | undefined;
    const send = () => {
      clearTimeout(timer);
      timer = undefined;
      void this.#send(open, panel).catch(this.#services.onError);
    };
    const soon = () => {
      if (panel.visible) timer ??= setTimeout(send, REFRESH_MS);
    };
    const bound = [
      followTitle(panel, open, (name) => vscode.l10n.t("Context: {0}", name)),
      open.onDidChangeTree(soon),
      open.onDidChange(soon),
      panel.webview.onDidReceiveMessage((raw: unknown) => {
        const parsed = fromInspectorSchema.safeParse(raw);
        if (!parsed.success) {
          this.#services.log.warn("A message of the inspector's page was not understood and dropped.");
        } else if (parsed.data.type === "view.ready") send();
        else void this.#handle(open, parsed.data).then(send, this.#services.onError);
      }),
    ];
    panel.onDidDispose(() => {
      clearTimeout(timer);
      this.#panels.delete(open);
      for (const disposable of bound) disposable.dispose();
    });
    panel.webview.html = pageHtml(panel.webview, extensionUri, { script: "inspector", styles: ["inspector"] });
  }

  async #send(open: OpenSession, panel: vscode.WebviewPanel): Promise<void> {
    await open.session.ready();
    const state = await this.#state(open);
    if (!this.#panels.has(open)) return;
    const { file } = open.session;
    const message: ToInspector = {
      ...{ type: "state", state, strings: vscode.l10n.bundle ?? {} },
      ...(file === undefined ? {} : { restore: { file } }),
    };
    await panel.webview.postMessage(message);
  }

  async #state(open: OpenSession): Promise<InspectorState> {
    const { session, harness } = open;
    const context = await session.buildContext();
    const usage = await harness.contextUsage();
    const preparation = await harness.previewCompaction();
    const sent = harness.lastRequest;
    return {
      title: nameOfOpen(open),
      model: harness.model?.name ?? null,
      busy: open.phase !== "idle",
      window: usage.window,
      threshold: usage.threshold,
      reserveTokens: usage.reserveTokens,
      keepRecentTokens: usage.keepRecentTokens,
      used: { tokens: usage.tokens, reported: !usage.estimated },
      system: systemParts(harness.systemPrompt),
      tools: harness.toolDefinitions.map(toolPart),
      items: await inspectorItems(session, context),
      cutBefore: preparation?.firstKeptEntryId ?? null,
      ...cacheBoundary(context),
      dropped: await droppedEntries(session),
      last:
        sent === undefined
          ? null
          : {
              model: sent.model.name,
              sentAt: sent.sentAt,
              bytes: new TextEncoder().encode(JSON.stringify(sent.payload)).length,
              ...sentParts(sent.payload),
            },
      history: await contextHistory(session),
    };
  }

  async #handle(open: OpenSession, message: FromInspector): Promise<void> {
    const { session } = open;
    if ("entryId" in message && session.node(message.entryId) === undefined) return;
    switch (message.type) {
      case "view.ready":
        return;
      case "entry.show":
        return await showInChat(this.#services.sessions, open, message.entryId);
      case "entry.drop":
        return await this.#drop(open, message.entryId);
      case "entry.takeBack":
        return await this.#takeBack(open, message.entryId);
      case "entry.pin":
        return await this.#pin(open, message.entryId, message.pinned);
      case "request.open":
        return message.which === "next"
          ? await this.#openNext(open)
          : await this.#openLast(open, message.which === "sent");
      case "compaction.preview":
        await vscode.commands.executeCommand("coppice.previewCompaction");
        return;
    }
  }

  /** Tokens from an entry on: what the provider's cache loses when the entry changes. */
  async #tokensFrom(open: OpenSession, entryId: string): Promise<{ own: number; behind: number }> {
    const items = await inspectorItems(open.session, await open.session.buildContext());
    const at = items.findIndex((item) => item.entryId === entryId);
    const sum = (list: typeof items) => list.reduce((total, item) => total + item.size.tokens, 0);
    return at < 0 ? { own: 0, behind: 0 } : { own: items[at]!.size.tokens, behind: sum(items.slice(at + 1)) };
  }

  #mustBeIdle(open: OpenSession): void {
    if (open.phase === "idle") return;
    throw new HarnessError("busy", vscode.l10n.t("The session is busy. Wait until it is done, or stop it first."));
  }

  async #drop(open: OpenSession, entryId: string): Promise<void> {
    this.#mustBeIdle(open);
    const { own, behind } = await this.#tokensFrom(open, entryId);
    const drop = vscode.l10n.t("Leave It Out");
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t("Leave this entry out of the context?"),
      {
        modal: true,
        detail: vscode.l10n.t(
          "It frees about {0} tokens. About {1} tokens behind it cannot come from the provider's cache at the next request. The entry stays in the session, and this can be taken back.",
          shortTokens(own),
          shortTokens(behind),
        ),
      },
      drop,
    );
    if (answer !== drop) return;
    this.#mustBeIdle(open);
    await open.session.appendContextEdit(entryId, null);
    open.notifyChanged();
  }

  async #takeBack(open: OpenSession, entryId: string): Promise<void> {
    this.#mustBeIdle(open);
    const entry = await open.session.getEntry(entryId);
    if (entry?.type !== "message" || !("content" in entry.message)) return;
    const content = entry.message.content as string | { type: string }[];
    await open.session.appendContextEdit(entryId, { content });
    open.notifyChanged();
  }

  async #pin(open: OpenSession, entryId: string, pinned: boolean): Promise<void> {
    this.#mustBeIdle(open);
    if (pinned) {
      const { own } = await this.#tokensFrom(open, entryId);
      const pin = vscode.l10n.t("Pin");
      const answer = await vscode.window.showInformationMessage(
        vscode.l10n.t("Pin this entry?"),
        {
          modal: true,
          detail: vscode.l10n.t(
            "Every later summary carries it word for word: about {0} tokens after each compaction. What the provider has cached stays valid.",
            shortTokens(own),
          ),
        },
        pin,
      );
      if (answer !== pin) return;
      this.#mustBeIdle(open);
    }
    await open.session.appendCustomEntry(PIN_CUSTOM_TYPE, { targetId: entryId, pinned });
    open.notifyChanged();
  }

  /** To read, or byte for byte as the body that was sent. */
  async #openLast(open: OpenSession, exact: boolean): Promise<void> {
    const sent = open.harness.lastRequest;
    if (sent === undefined) return;
    if (!exact) return await this.#showJson(open, "Last request", sent.payload);
    const path = `/request/${open.session.id}/Last request as sent.json`;
    await this.#services.documents.show(path, JSON.stringify(sent.payload) ?? "");
  }

  async #openNext(open: OpenSession): Promise<void> {
    await this.#showJson(open, "Next request", await this.nextRequest(open));
  }

  /** The next request as it stands: without the prompt that is still to be written, and before hooks. */
  async nextRequest(open: OpenSession): Promise<unknown> {
    const { harness, session } = open;
    const { model } = harness;
    if (model === undefined) throw new HarnessError("invalid_state", vscode.l10n.t("Choose a model first."));
    const { messages } = await session.buildContext();
    const context: LlmContext = {
      systemPrompt: harness.systemPrompt,
      messages: convertToLlm(messages),
      tools: harness.toolDefinitions,
    };
    return await this.#services.previewRequest(model, context, {
      thinkingLevel: harness.thinkingLevel,
      routingId: session.id,
    });
  }

  async #showJson(open: OpenSession, name: string, body: unknown): Promise<void> {
    const text = JSON.stringify(body, undefined, 2) ?? "";
    await this.#services.documents.show(`/request/${open.session.id}/${name}.json`, text);
  }

  dispose(): void {
    for (const panel of this.#panels.values()) panel.dispose();
  }
}
