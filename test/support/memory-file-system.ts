// A file system in memory that can fail, tear or lose any call: the n-th operation is given to a fault function.
import type { FileHandle, FileStat, FileSystem } from "../../src/core/ports.ts";

export type Operation =
  | "open"
  | "read"
  | "append"
  | "sync"
  | "stat"
  | "rename"
  | "writeFileAtomic"
  | "makeDirectory"
  | "syncDirectory"
  | "remove"
  | "list"
  | "readFile";

/** `{ take: n }`: an append takes n bytes, and then fails where `error` is given. */
export type Fault = Error | { take: number; error?: Error } | undefined;

interface Node {
  inode: number;
  bytes: Uint8Array;
  mtimeMs: number;
}

export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

export class MemoryFileSystem implements FileSystem {
  readonly files = new Map<string, Node>();
  readonly folders = new Set<string>(["/"]);
  /** Every operation that was begun, for counting and for choosing one to fail. */
  calls: { operation: Operation; path: string }[] = [];
  fault: (operation: Operation, path: string, call: number) => Fault = () => undefined;
  #inode = 0;
  #time = 1;

  text(path: string): string {
    return new TextDecoder().decode(this.files.get(path)?.bytes);
  }
  write(path: string, content: string | Uint8Array): void {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const node = this.files.get(path);
    if (node === undefined) this.files.set(path, { inode: ++this.#inode, bytes, mtimeMs: ++this.#time });
    else Object.assign(node, { bytes, mtimeMs: ++this.#time });
  }
  /** What another process would do with an O_APPEND write. */
  appendForeign(path: string, content: string | Uint8Array): void {
    const node = this.files.get(path)!;
    node.bytes = concat(node.bytes, typeof content === "string" ? new TextEncoder().encode(content) : content);
    node.mtimeMs = ++this.#time;
  }
  replace(path: string, content: string): void {
    this.files.delete(path);
    this.write(path, content);
  }

  #begin(operation: Operation, path: string): Fault {
    this.calls.push({ operation, path });
    const fault = this.fault(operation, path, this.calls.length - 1);
    if (fault instanceof Error) throw fault;
    return fault;
  }
  #stat(node: Node): FileStat {
    return { kind: "file", size: node.bytes.length, mtimeMs: node.mtimeMs, identity: `1:${node.inode}`, links: 1 };
  }

  async open(path: string, flags: "read" | "append" | "create"): Promise<FileHandle> {
    this.#begin("open", path);
    const exists = this.files.get(path);
    if (flags === "create") {
      if (exists !== undefined) throw systemError("EEXIST");
      this.write(path, "");
    } else if (exists === undefined) throw systemError("ENOENT");
    const node = this.files.get(path)!;
    return {
      read: async (position, length) => {
        this.#begin("read", path);
        return node.bytes.slice(position, position + length);
      },
      append: async (bytes) => {
        const fault = this.#begin("append", path);
        const take = fault !== undefined && "take" in fault ? Math.min(fault.take, bytes.length) : bytes.length;
        node.bytes = concat(node.bytes, bytes.subarray(0, take));
        node.mtimeMs = ++this.#time;
        if (fault !== undefined && "take" in fault && fault.error !== undefined) throw fault.error;
        return take;
      },
      sync: async () => {
        this.#begin("sync", path);
      },
      stat: async () => this.#stat(node),
      close: async () => {},
    };
  }
  async readFile(path: string): Promise<Uint8Array> {
    this.#begin("readFile", path);
    const node = this.files.get(path);
    if (node === undefined) throw systemError("ENOENT");
    return node.bytes;
  }
  async writeFileAtomic(path: string, bytes: Uint8Array): Promise<void> {
    this.#begin("writeFileAtomic", path);
    this.replace(path, new TextDecoder().decode(bytes));
    this.files.get(path)!.bytes = bytes.slice();
  }
  async list(path: string): Promise<{ name: string; kind: FileStat["kind"] | "link" }[]> {
    this.#begin("list", path);
    const names = new Map<string, FileStat["kind"]>();
    const prefix = path === "/" ? "/" : `${path}/`;
    for (const file of this.files.keys()) {
      if (!file.startsWith(prefix)) continue;
      const rest = file.slice(prefix.length).split("/");
      names.set(rest[0]!, rest.length > 1 ? "directory" : "file");
    }
    return [...names].map(([name, kind]) => ({ name, kind }));
  }
  async stat(path: string): Promise<FileStat | undefined> {
    this.#begin("stat", path);
    const node = this.files.get(path);
    if (node !== undefined) return this.#stat(node);
    if (!this.folders.has(path)) return undefined;
    return { kind: "directory", size: 0, mtimeMs: 0, identity: `1:${path}`, links: 1 };
  }
  async makeDirectory(path: string): Promise<void> {
    this.#begin("makeDirectory", path);
    this.folders.add(path);
  }
  async remove(path: string): Promise<void> {
    this.#begin("remove", path);
    this.files.delete(path);
  }
  async rename(from: string, to: string): Promise<void> {
    this.#begin("rename", from);
    const node = this.files.get(from);
    if (node === undefined) throw systemError("ENOENT");
    this.files.delete(from);
    this.files.set(to, node);
  }
  async realPath(path: string): Promise<string> {
    return path;
  }
  async syncDirectory(path: string): Promise<void> {
    this.#begin("syncDirectory", path);
  }
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const whole = new Uint8Array(a.length + b.length);
  whole.set(a);
  whole.set(b, a.length);
  return whole;
}
