// Commands of the Session Tree that are not in the palette table: paging, filter, keyboard, compaction by hand.
import * as vscode from "vscode";
import { HarnessError } from "../core/errors.ts";
import { entryIdOf } from "./commands/register.ts";
import type { EntryActions } from "./entry-actions.ts";
import type { OpenSession } from "./open-session.ts";
import type { SessionService } from "./session-service.ts";
import type { SessionTreeView } from "./session-tree-view.ts";
import { compactWithProgress } from "./summary-progress.ts";

/** What keys of the tree may run, with the selected row. */
const KEY_COMMANDS = new Set([
  "coppice.showEntry",
  "coppice.continueFromHere",
  "coppice.continueWithSummary",
  "coppice.draftBranchSummary",
  "coppice.editAndResend",
  "coppice.label",
  "coppice.copyEntry",
]);

export type Handler = (...args: unknown[]) => unknown;

export interface TreeCommandServices {
  sessions: SessionService;
  tree: SessionTreeView;
  entryActions: EntryActions;
}

/** The session in the chat; throws where there is none. */
export function neededSession(sessions: SessionService): OpenSession {
  if (sessions.current === undefined) throw new Error(vscode.l10n.t("No session is open."));
  return sessions.current;
}

/** The entry of a menu or the selected one; throws where there is neither. */
export function neededEntry(
  services: Pick<TreeCommandServices, "sessions" | "tree">,
  argument: unknown,
): { open: OpenSession; entryId: string } {
  const open = neededSession(services.sessions);
  const entryId = entryIdOf(open, argument) ?? services.tree.selected?.entryId;
  if (entryId === undefined) throw new Error(vscode.l10n.t("Select an entry in the Session Tree first."));
  return { open, entryId };
}

export function treeCommands(services: TreeCommandServices): Record<string, Handler> {
  const { tree } = services;
  return {
    "coppice.tree.open": async () => {
      const node = await tree.opened();
      if (node?.kind === "more") tree.showMore(node);
      else if (node !== undefined) await vscode.commands.executeCommand("coppice.showEntry", node.entryId);
    },
    "coppice.tree.filter": () => tree.pickFilter(),
    "coppice.tree.revealPosition": () => tree.revealPosition(),
    "coppice.tree.key": async (command) => {
      if (typeof command !== "string" || !KEY_COMMANDS.has(command)) return;
      const node = await tree.focused();
      if (node === undefined) return;
      await vscode.commands.executeCommand(command, node);
    },
    "coppice.compactBeforeHere": async (argument) => {
      const { open, entryId } = neededEntry(services, argument);
      await compactBefore(open, entryId);
    },
    "coppice.openSummary": (argument) => {
      const { open, entryId } = neededEntry(services, argument);
      return services.entryActions.openSummary(open, entryId);
    },
  };
}

/** Compacts what is before an entry of the position's branch; throws where the cut cannot fall there. */
export async function compactBefore(open: OpenSession, entryId: string): Promise<void> {
  const cut = { kind: "entry", id: entryId } as const;
  const preparation = await open.harness.previewCompaction(cut);
  if (preparation === undefined) {
    throw new HarnessError(
      "invalid_argument",
      vscode.l10n.t("Nothing before this entry can be compacted: it is the first of the context, or not part of it."),
    );
  }
  const focus = await vscode.window.showInputBox({
    title: vscode.l10n.t("Compact Before Here"),
    ignoreFocusOut: true,
    prompt: vscode.l10n.t(
      "{0} entries will be summarised; this one and what follows stay. What should the summary pay attention to? Empty for nothing in particular.",
      preparation.summarizeIds.length + preparation.prefixIds.length,
    ),
  });
  if (focus === undefined) return;
  await compactWithProgress(open, { cut, ...(focus.trim() === "" ? {} : { customInstructions: focus.trim() }) });
}
