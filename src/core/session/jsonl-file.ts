// The bytes of one session file as this process last saw them: opening, growth, loss, replacement, appending.
import { SessionError } from "../errors.ts";
import type { FileHandle, FileStat, FileSystem } from "../ports.ts";
import { readSlices } from "./jsonl-reader.ts";
import { publishFile } from "./publish-file.ts";
import { folderOf } from "./session-paths.ts";

/** Bytes before the known end that are compared before each append. */
const TAIL_BYTES = 64;
const NEWLINE = 0x0a;

export type DiskState =
  | { kind: "same" }
  | { kind: "grown"; to: number }
  /** Another file, a shorter one, or other bytes where ours were. */
  | { kind: "replaced" }
  | { kind: "deleted" };

export class JsonlFile {
  readonly #fs: FileSystem;
  readonly path: string;
  #reader: FileHandle;
  #writer: FileHandle | undefined;
  #identity: string;
  #size: number;
  /** Undefined where a write failed and the time cannot be known. */
  #mtimeMs: number | undefined;
  #tail: Uint8Array = new Uint8Array(0);
  readonly #seenTail = new Uint8Array(TAIL_BYTES);

  private constructor(fs: FileSystem, path: string, reader: FileHandle, stat: FileStat) {
    this.#fs = fs;
    this.path = path;
    this.#reader = reader;
    this.#identity = stat.identity;
    this.#size = stat.size;
    this.#mtimeMs = stat.mtimeMs;
  }

  /** Throws `not_found` and `not_a_session` (for what is no regular file). */
  static async open(fs: FileSystem, path: string): Promise<JsonlFile> {
    const there = await fs.stat(path);
    if (there === undefined) throw new SessionError("not_found", `There is no session file ${path}.`);
    if (there.kind !== "file") throw new SessionError("not_a_session", `${path} is no regular file.`);
    const reader = await fs.open(path, "read");
    try {
      const file = new JsonlFile(fs, path, reader, await reader.stat());
      await file.#rememberTail();
      return file;
    } catch (error) {
      await reader.close();
      throw error;
    }
  }

  get reader(): FileHandle {
    return this.#reader;
  }
  /** Bytes that were seen. */
  get size(): number {
    return this.#size;
  }
  get endsWithNewline(): boolean {
    return this.#size === 0 || this.#tail.at(-1) === NEWLINE;
  }

  /** Compares what the path names now with what was last seen (product.md, Two writers). */
  async look(): Promise<DiskState> {
    const stat = await this.#fs.stat(this.path);
    if (stat === undefined) return { kind: "deleted" };
    if (stat.identity !== this.#identity || stat.size < this.#size) return { kind: "replaced" };
    const { length } = this.#tail;
    const tail = await this.#reader.read(this.#size - length, length, this.#seenTail);
    if (!sameBytes(tail, this.#tail)) return { kind: "replaced" };
    const edited = stat.size === this.#size && this.#mtimeMs !== undefined && stat.mtimeMs !== this.#mtimeMs;
    if (edited) return { kind: "replaced" };
    this.#mtimeMs = stat.mtimeMs;
    return stat.size === this.#size ? { kind: "same" } : { kind: "grown", to: stat.size };
  }

  /** Takes everything up to `size` as seen. */
  async seen(size: number): Promise<void> {
    this.#size = size;
    await this.#rememberTail();
  }

  /**
   * One append and one sync. True where the file now ends with exactly these bytes and the path still names it; false where
   * it must be looked at again. Throws what the system throws; the writer is then not used again.
   */
  async append(bytes: Uint8Array, onSyncFailed: () => void): Promise<boolean> {
    const before = this.#size;
    try {
      this.#writer ??= await this.#openWriter();
      const taken = bytes.length === 0 ? 0 : await this.#writer.append(bytes);
      try {
        await this.#writer.sync();
      } catch (error) {
        onSyncFailed();
        throw error;
      }
      const stat = await this.#fs.stat(this.path);
      if (taken !== bytes.length || stat?.identity !== this.#identity || stat.size !== before + taken) {
        this.#mtimeMs = undefined;
        return false;
      }
      this.#mtimeMs = stat.mtimeMs;
    } catch (error) {
      this.#mtimeMs = undefined;
      await this.#dropWriter();
      throw error;
    }
    this.#size = before + bytes.length;
    const both = new Uint8Array(this.#tail.length + Math.min(bytes.length, TAIL_BYTES));
    both.set(this.#tail);
    both.set(bytes.subarray(-TAIL_BYTES), this.#tail.length);
    this.#tail = both.slice(-TAIL_BYTES);
    return true;
  }

  /** The file was deleted: its bytes, which the open descriptor still has, come back under the path. */
  async restore(): Promise<void> {
    await this.#fs.makeDirectory(folderOf(this.path));
    await publishFile(this.#fs, this.path, async (append) => {
      let copied = 0;
      await readSlices(this.#reader, 0, this.#size, async (bytes) => {
        await append(bytes);
        copied += bytes.length;
      });
      if (copied !== this.#size) {
        throw new SessionError("storage", `${this.path} was deleted and could not be written again whole.`);
      }
    });
    await this.#dropWriter();
    const reader = await this.#fs.open(this.path, "read");
    await this.#reader.close();
    this.#reader = reader;
    const stat = await reader.stat();
    this.#identity = stat.identity;
    this.#mtimeMs = stat.mtimeMs;
  }

  async close(): Promise<void> {
    await this.#dropWriter();
    await this.#reader.close();
  }

  async #openWriter(): Promise<FileHandle> {
    const writer = await this.#fs.open(this.path, "append");
    if ((await writer.stat()).identity === this.#identity) return writer;
    await writer.close();
    throw new SessionError("storage", `${this.path} was replaced while it was being opened for writing.`);
  }
  async #dropWriter(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.close().catch(() => {});
  }
  async #rememberTail(): Promise<void> {
    const length = Math.min(TAIL_BYTES, this.#size);
    this.#tail = await this.#reader.read(this.#size - length, length);
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
