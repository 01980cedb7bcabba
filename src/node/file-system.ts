// The FileSystem port on node:fs: small operations are synchronous (8 times cheaper), large reads and syncs are not.
import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  promises,
  read,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import type { FileHandle, FileStat, FileSystem } from "../core/ports.ts";

/** Up to this many bytes an operation on an open descriptor does not leave the thread. */
const SMALL = 128 * 1024;
/** Up to this many bytes neither does a read, while the disk answers from memory. */
const SLICE = 1024 * 1024;
/** A read of a slice that took longer (ms) waited for the disk: the next ones wait outside of the thread. */
const SLOW_MS = 8;
/** Slices that are read outside of the thread before it is tried again within. */
const SLOW_READS = 8;
function fileStat(stat: BigIntStats): FileStat {
  return {
    kind: stat.isFile() ? "file" : stat.isDirectory() ? "directory" : "other",
    size: Number(stat.size),
    mtimeMs: Number(stat.mtimeMs),
    identity: `${stat.dev}:${stat.ino}`,
    links: Number(stat.nlink),
    mode: Number(stat.mode) & 0o7777,
  };
}

class NodeFileHandle implements FileHandle {
  #fd: number;
  #slowReads = 0;
  constructor(fd: number) {
    this.#fd = fd;
  }

  async read(position: number, length: number, into?: Uint8Array): Promise<Uint8Array> {
    const buffer = into ? Buffer.from(into.buffer, into.byteOffset, length) : Buffer.allocUnsafeSlow(length);
    const within = length <= SMALL || (length <= SLICE && this.#slowReads === 0);
    if (!within && this.#slowReads > 0) this.#slowReads--;
    const from = within && length > SMALL ? performance.now() : 0;
    let taken = 0;
    while (taken < length) {
      const n = within
        ? readSync(this.#fd, buffer, taken, length - taken, position + taken)
        : await this.#readLarge(buffer, taken, length - taken, position + taken);
      if (n === 0) break;
      taken += n;
    }
    if (from > 0 && performance.now() - from > SLOW_MS) this.#slowReads = SLOW_READS;
    return taken === length ? buffer : buffer.subarray(0, taken);
  }
  #readLarge(buffer: Buffer, offset: number, length: number, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      read(this.#fd, buffer, offset, length, position, (error, n) => (error ? reject(error) : resolve(n)));
    });
  }

  async append(bytes: Uint8Array): Promise<number> {
    return writeSync(this.#fd, bytes, 0, bytes.length);
  }
  sync(): Promise<void> {
    return new Promise((resolve, reject) => fdatasync(this.#fd, (error) => (error ? reject(error) : resolve())));
  }
  async stat(): Promise<FileStat> {
    return fileStat(fstatSync(this.#fd, { bigint: true }));
  }
  async close(): Promise<void> {
    if (this.#fd < 0) return;
    const fd = this.#fd;
    this.#fd = -1;
    closeSync(fd);
  }
}

const FLAGS = {
  read: constants.O_RDONLY | (constants.O_NONBLOCK ?? 0),
  append: constants.O_WRONLY | constants.O_APPEND,
  create: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL,
} as const;

function syncDirectory(path: string): void {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    // Windows opens no directories; its names are durable without.
    if (process.platform === "win32") return;
    throw error;
  }
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

let temporary = 0;

export const nodeFileSystem: FileSystem = {
  async open(path, flags, mode = 0o600) {
    return new NodeFileHandle(openSync(path, FLAGS[flags], mode));
  },

  async readFile(path) {
    const file = new NodeFileHandle(openSync(path, FLAGS.read));
    try {
      const { size } = await file.stat();
      // What the system makes up as it is read has no size.
      return size > 0 ? await file.read(0, size) : await promises.readFile(path);
    } finally {
      await file.close();
    }
  },

  async writeFileAtomic(path, bytes, mode) {
    const beside = `${path}.${process.pid}-${++temporary}.tmp`;
    let fd: number | undefined;
    try {
      const kept = mode === undefined ? statSync(path, { throwIfNoEntry: false })?.mode : undefined;
      fd = openSync(beside, "wx", mode ?? 0o600);
      if (kept !== undefined && process.platform !== "win32") fchmodSync(fd, kept & 0o7777);
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at);
      fsyncSync(fd);
      closeSync(fd);
      fd = undefined;
      renameSync(beside, path);
    } catch (error) {
      if (fd !== undefined) closeSync(fd);
      await promises.rm(beside, { force: true });
      throw error;
    }
    syncDirectory(dirname(path));
  },

  async list(path) {
    try {
      const found = await promises.readdir(path, { withFileTypes: true });
      return found.map((item) => ({
        name: item.name,
        kind: item.isFile() ? "file" : item.isDirectory() ? "directory" : item.isSymbolicLink() ? "link" : "other",
      }));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  },

  async stat(path) {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat && fileStat(stat);
  },

  async makeDirectory(path, mode = 0o700) {
    const first = mkdirSync(path, { recursive: true, mode });
    // The new folders are names in their parents, and those must survive a power cut as well.
    if (first === undefined) return;
    for (let made = path; ; made = dirname(made)) {
      syncDirectory(dirname(made));
      if (made === first || made === dirname(made)) return;
    }
  },

  async remove(path) {
    await promises.rm(path, { recursive: true, force: true });
  },
  async rename(from, to) {
    renameSync(from, to);
  },
  async realPath(path) {
    return promises.realpath(path);
  },
  async syncDirectory(path) {
    syncDirectory(path);
  },
};
