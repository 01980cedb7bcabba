// As much of the editor as the host's modules need where no editor is: words as they are, events, and nothing shown.
export const l10n = {
  t: (text: string, ...values: unknown[]) => text.replace(/\{(\d)\}/g, (_all, index) => String(values[Number(index)])),
  get bundle(): unknown {
    return undefined;
  },
};

export const workspace = {
  isTrusted: true,
  get workspaceFolders(): unknown[] {
    return [];
  },
};
export const window = {
  showErrorMessage: async () => undefined,
  showInformationMessage: async () => undefined,
  showQuickPick: async () => undefined,
  setStatusBarMessage: () => ({ dispose: () => {} }),
};
export const commands = { executeCommand: async () => undefined };
export const env = { language: "en" };
export const ProgressLocation = { Notification: 15 };

export class EventEmitter<T> {
  readonly #listeners = new Set<(value: T) => void>();
  readonly event = (listener: (value: T) => void) => {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  };
  fire(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }
  dispose(): void {
    this.#listeners.clear();
  }
}
