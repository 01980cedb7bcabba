// The branch comparison: an editor tab with two branches side by side, from where they part.
import * as vscode from "vscode";
import { type BranchSide, compareBranches, type Spending } from "../core/compaction/branch-comparison.ts";
import { SessionError } from "../core/errors.ts";
import { entryText } from "../core/harness/session-memory.ts";
import { leafThrough } from "../core/session/siblings.ts";
import {
  type ComparisonSide,
  type ComparisonState,
  comparisonRestoreSchema,
  fromComparisonSchema,
  type SpendingView,
  type ToComparison,
} from "../protocol/comparison.ts";
import type { OpenSession } from "./open-session.ts";
import { pageHtml, pageOptions } from "./page-html.ts";
import type { SessionService } from "./session-service.ts";
import { followTitle, nameOfOpen } from "./session-tab-title.ts";
import { showInChat } from "./show-in-chat.ts";
import { kindName } from "./tree-labels.ts";
import { rowContent } from "./tree-row.ts";

/** Rows of one side that the page shows. */
const MAX_ROWS = 500;
const MAX_TEXT = 1500;

export interface ComparisonServices {
  extensionUri: vscode.Uri;
  sessions: Pick<SessionService, "open" | "find" | "setCurrent">;
  log: vscode.LogOutputChannel;
  onError: (error: unknown) => void;
}

function spendingView(spending: Spending): SpendingView {
  return {
    requests: spending.requests,
    input: spending.input,
    output: spending.output,
    costUsd: spending.costUsd === 0 && spending.unpriced ? null : spending.costUsd,
    partly: spending.unpriced,
  };
}

function add(...spendings: Spending[]): Spending {
  const sum: Spending = { requests: 0, input: 0, output: 0, costUsd: 0, unpriced: false };
  for (const one of spendings) {
    sum.requests += one.requests;
    sum.input += one.input;
    sum.output += one.output;
    sum.costUsd += one.costUsd;
    sum.unpriced ||= one.unpriced;
  }
  return sum;
}

function sideView(side: BranchSide, name: string, position: boolean): ComparisonSide {
  return {
    leafId: side.leafId,
    position,
    name,
    rows: side.entries.slice(0, MAX_ROWS).map((entry) => {
      const content = rowContent(entry);
      const text = entryText(entry).trim();
      return {
        entryId: entry.id,
        kind: content.kind,
        kindName: kindName(content.kind),
        title: content.title,
        text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text || content.title,
      };
    }),
    hidden: Math.max(0, side.entries.length - MAX_ROWS),
    modifiedFiles: side.files.modifiedFiles,
    readFiles: side.files.readFiles,
    spending: spendingView(side.spending),
  };
}

export class BranchComparisonPanel implements vscode.Disposable {
  readonly #services: ComparisonServices;
  readonly #panels = new Set<vscode.WebviewPanel>();

  constructor(services: ComparisonServices) {
    this.#services = services;
  }

  /** Compares the position's branch with the one through an entry; throws where they are the same. */
  async open(open: OpenSession, entryId: string): Promise<void> {
    await open.session.ready();
    const left = open.session.getLeafId();
    const right = leafThrough(open.session, entryId);
    if (left === null || left === right) {
      throw new SessionError(
        "invalid_argument",
        vscode.l10n.t("This entry is on the branch of the position. Choose one of another branch to compare."),
      );
    }
    const title = vscode.l10n.t("Branches");
    const options = pageOptions(this.#services.extensionUri);
    const panel = vscode.window.createWebviewPanel("coppice.comparison", title, vscode.ViewColumn.Active, options);
    this.#fill(open, panel, left, right);
  }

  /** Fills a tab that was there before the window was loaded again. Throws where its branches are not to be had. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { file, left, right } = comparisonRestoreSchema.parse(state);
    const open = await this.#services.sessions.open(file);
    await open.session.ready();
    for (const id of [left, right]) {
      if (open.session.node(id) === undefined) throw new SessionError("not_found", `There is no entry ${id}.`);
    }
    panel.webview.options = pageOptions(this.#services.extensionUri);
    this.#fill(open, panel, left, right);
  }

  #fill(open: OpenSession, panel: vscode.WebviewPanel, left: string, right: string): void {
    panel.iconPath = new vscode.ThemeIcon("git-compare");
    this.#panels.add(panel);
    const send = async () => {
      const state = await this.#state(open, left, right);
      if (!this.#panels.has(panel)) return;
      const { file } = open.session;
      const message: ToComparison = {
        ...{ type: "state", state, strings: vscode.l10n.bundle ?? {} },
        ...(file === undefined ? {} : { restore: { file, left, right } }),
      };
      await panel.webview.postMessage(message);
    };
    const received = panel.webview.onDidReceiveMessage((raw: unknown) => {
      const parsed = fromComparisonSchema.safeParse(raw);
      if (!parsed.success) {
        this.#services.log.warn("A message of the comparison's page was not understood and dropped.");
        return;
      }
      const message = parsed.data;
      const command = message.type === "entry.show" ? "coppice.showEntry" : "coppice.continueFromHere";
      const done =
        message.type === "view.ready" || open.session.node(message.entryId) === undefined
          ? send()
          : showInChat(this.#services.sessions, open, message.entryId, command).then(send);
      done.catch(this.#services.onError);
    });
    const titled = followTitle(
      panel,
      open,
      (name) => vscode.l10n.t("Branches: {0}", name),
      () => void send().catch(this.#services.onError),
    );
    panel.onDidDispose(() => {
      this.#panels.delete(panel);
      received.dispose();
      titled.dispose();
    });
    panel.webview.html = pageHtml(panel.webview, this.#services.extensionUri, {
      script: "comparison",
      styles: ["inspector"],
    });
  }

  async #state(open: OpenSession, left: string, right: string): Promise<ComparisonState> {
    const { session } = open;
    const found = await compareBranches(session, left, right);
    const position = session.getLeafId();
    const common = found.commonId === null ? undefined : await session.getEntry(found.commonId);
    const [a, b] = found.sides;
    const content = common === undefined ? undefined : rowContent(common);
    return {
      title: nameOfOpen(open),
      common:
        common === undefined || content === undefined
          ? null
          : { entryId: common.id, kindName: kindName(content.kind), title: content.title },
      shared: found.shared,
      sharedSpending: spendingView(found.sharedSpending),
      together: spendingView(add(found.sharedSpending, a.spending, b.spending)),
      sides: [
        sideView(a, vscode.l10n.t("First branch"), position === left),
        sideView(b, vscode.l10n.t("Second branch"), position === right),
      ],
    };
  }

  dispose(): void {
    for (const panel of this.#panels) panel.dispose();
  }
}
