// A session without a file: for tests, for a disk that cannot be written, and for the first minutes of a demo.
import type { SessionEntry, SessionHeader } from "./entries.ts";
import type { BadLine } from "./session.ts";
import type { ComposedEntry, SessionStorage } from "./session-storage.ts";
import { SessionTree } from "./session-tree.ts";

export class MemoryStorage implements SessionStorage {
  readonly file = undefined;
  readonly readOnlyReason = undefined;
  readonly header: SessionHeader;
  readonly tree = new SessionTree();
  readonly #entries: SessionEntry[] = [];
  #queue: Promise<unknown> = Promise.resolve();

  constructor(header: SessionHeader) {
    this.header = header;
  }

  async ready(): Promise<void> {}
  badLines(): readonly BadLine[] {
    return [];
  }
  position(): string | null {
    return this.tree.position();
  }
  async tail(): Promise<undefined> {
    return undefined;
  }

  async read(rows: ArrayLike<number>): Promise<(SessionEntry | undefined)[]> {
    return Array.from(rows, (row) => this.#entries[this.tree.offsetOf(row)]);
  }
  async rawLine(row: number): Promise<string | undefined> {
    const entry = this.#entries[this.tree.offsetOf(row)];
    return entry && JSON.stringify(entry);
  }

  append(compose: () => ComposedEntry[]): Promise<void> {
    const result = this.#queue.then(() => {
      for (const { entry } of compose()) {
        this.#entries.push(entry);
        this.tree.addEntry(entry, this.#entries.length - 1, 0);
      }
    });
    this.#queue = result.catch(() => {});
    return result;
  }

  async refresh(): Promise<void> {}
  onExternal(): void {}
  async close(): Promise<void> {
    await this.#queue;
  }
}
