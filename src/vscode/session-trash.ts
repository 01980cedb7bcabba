// Deleted sessions: out of the list at once, back with one click, then in the machine's trash where it has one.
import * as vscode from "vscode";
import type { FileSystem } from "../core/ports.ts";

/** Deletions that come together are told of together. */
const BATCH_MS = 300;
/** Where the machine has no trash, deleted sessions stay in Coppice's own for this long. */
const KEPT_MS = 30 * 86_400_000;

interface Deleted {
  path: string;
  kept: string;
}

export class SessionTrash {
  readonly #fs: FileSystem;
  readonly #folder: string;
  readonly #restored: () => void;
  readonly #onError: (error: unknown) => void;
  #batch: Deleted[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `folder`: Coppice's own trash, on the disk of the sessions. `restored` hears of files that came back. */
  constructor(fs: FileSystem, folder: string, restored: () => void, onError: (error: unknown) => void) {
    this.#fs = fs;
    this.#folder = folder;
    this.#restored = restored;
    this.#onError = onError;
  }

  /** Moves a file away and offers to take that back. Throws where it cannot be moved; it is then where it was. */
  async take(path: string): Promise<void> {
    const now = Date.now();
    await this.#fs.makeDirectory(this.#folder);
    const kept = `${this.#folder}/${now}-${path.replace(/^.*[\\/]/, "")}`;
    await this.#move(path, kept);
    this.#batch.push({ path, kept });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const batch = this.#batch;
      this.#batch = [];
      void this.#offerUndo(batch).catch(this.#onError);
    }, BATCH_MS);
    await this.#prune(now);
  }

  async #move(from: string, to: string): Promise<void> {
    try {
      await this.#fs.rename(from, to);
    } catch (error) {
      // Another disk: the editor copies.
      if ((error as { code?: unknown }).code !== "EXDEV") throw error;
      await vscode.workspace.fs.rename(vscode.Uri.file(from), vscode.Uri.file(to));
    }
  }

  async #offerUndo(batch: readonly Deleted[]): Promise<void> {
    const undo = vscode.l10n.t("Undo");
    const text =
      batch.length === 1
        ? vscode.l10n.t("The session was moved to the trash.")
        : vscode.l10n.t("{0} sessions were moved to the trash.", batch.length);
    const answer = await vscode.window.showInformationMessage(text, undo);
    for (const { path, kept } of batch) {
      // One that cannot come back is told, and keeps none of the others.
      if (answer === undo) await this.#restore(path, kept).catch(this.#onError);
      else await this.#toMachine(kept);
    }
    if (answer === undo) this.#restored();
  }

  async #restore(path: string, kept: string): Promise<void> {
    if ((await this.#fs.stat(path)) !== undefined) {
      throw new Error(vscode.l10n.t("{0} exists again; the deleted session is kept as {1}.", path, kept));
    }
    await this.#move(kept, path);
  }

  async #toMachine(kept: string): Promise<void> {
    try {
      await vscode.workspace.fs.delete(vscode.Uri.file(kept), { useTrash: true });
    } catch {
      // Remote machines have none: it stays in Coppice's own.
    }
  }

  async #prune(now: number): Promise<void> {
    for (const { name, kind } of await this.#fs.list(this.#folder)) {
      const deletedAt = Number(/^(\d{13})-.*\.jsonl$/.exec(name)?.[1]);
      if (kind === "file" && now - deletedAt > KEPT_MS) await this.#fs.remove(`${this.#folder}/${name}`);
    }
  }
}
