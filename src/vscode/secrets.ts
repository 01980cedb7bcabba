// Keys of endpoints: in the editor's secret storage and nowhere else, each bound to the origin that it was typed for.
import type * as vscode from "vscode";

const PREFIX = "coppice.key.";

interface StoredKey {
  origin: string;
  key: string;
}

function originOf(baseUrl: string): string {
  return new URL(baseUrl).origin;
}

export class Secrets {
  readonly #storage: vscode.SecretStorage;
  /** Where the machine has no keyring the key lives until the window closes. */
  readonly #memory = new Map<string, StoredKey>();

  constructor(storage: vscode.SecretStorage) {
    this.#storage = storage;
  }

  /** The key of an endpoint, or undefined; also where the endpoint has come to point to another origin. */
  async get(provider: string, baseUrl: string): Promise<string | undefined> {
    const stored = this.#memory.get(provider) ?? (await this.#read(provider));
    return stored !== undefined && stored.origin === originOf(baseUrl) ? stored.key : undefined;
  }

  async #read(provider: string): Promise<StoredKey | undefined> {
    try {
      const text = await this.#storage.get(PREFIX + provider);
      return text === undefined ? undefined : (JSON.parse(text) as StoredKey);
    } catch {
      return undefined;
    }
  }

  /** False where it could only be kept in memory. */
  async set(provider: string, baseUrl: string, key: string): Promise<boolean> {
    const stored: StoredKey = { origin: originOf(baseUrl), key };
    try {
      await this.#storage.store(PREFIX + provider, JSON.stringify(stored));
      this.#memory.delete(provider);
      return true;
    } catch {
      this.#memory.set(provider, stored);
      return false;
    }
  }

  async delete(provider: string): Promise<void> {
    this.#memory.delete(provider);
    await this.#storage.delete(PREFIX + provider);
  }
}
