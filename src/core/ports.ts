// What the core needs of the machine, so that it needs no machine itself.

export interface FileStat {
  kind: "file" | "directory" | "other";
  /** Bytes. */
  size: number;
  mtimeMs: number;
  /** Device and inode as one string; changes when a path comes to name another file. */
  identity: string;
  links: number;
  /** Permission bits, where the system has such. */
  mode?: number;
}

/** An open file for reading by position and for appending. */
export interface FileHandle {
  /**
   * Bytes `[position, position + length)`, shorter only at the end of the file. With `into`, of at least `length` bytes, they
   * may lie there, and hold until the next read into it.
   */
  read(position: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
  /** One O_APPEND write. Returns the number of bytes that the system took, which may be fewer. */
  append(bytes: Uint8Array): Promise<number>;
  /** Resolves once the data written so far is on the disk (fdatasync). */
  sync(): Promise<void>;
  stat(): Promise<FileStat>;
  close(): Promise<void>;
}

/** Files by absolute path. Errors carry a Node-like `code` (`ENOENT`, `EEXIST`, `ENOSPC`…). */
export interface FileSystem {
  /** `create` fails with EEXIST where the file exists; files are made with `mode` (default 0o600). */
  open(path: string, flags: "read" | "append" | "create", mode?: number): Promise<FileHandle>;
  readFile(path: string): Promise<Uint8Array>;
  /**
   * Writes beside the path, syncs, renames over it and syncs the folder; never leaves half a file. Without `mode` the file
   * keeps the permissions that it has; a new one gets 0o600.
   */
  writeFileAtomic(path: string, bytes: Uint8Array, mode?: number): Promise<void>;
  /** Names in a folder; a folder that does not exist has none. */
  list(path: string): Promise<{ name: string; kind: FileStat["kind"] | "link" }[]>;
  /** Undefined where nothing is there. Follows links. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Makes missing parents too; folders are made with `mode` (default 0o700, less the umask). */
  makeDirectory(path: string, mode?: number): Promise<void>;
  remove(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** The path with all links resolved; throws ENOENT. */
  realPath(path: string): Promise<string>;
  /** Makes names in a folder durable. */
  syncDirectory(path: string): Promise<void>;
}

export interface ShellResult {
  exitCode: number | undefined;
  /** Set when a signal ended it. */
  signal?: string;
  timedOut: boolean;
  aborted: boolean;
}

/** Runs commands in a fresh shell with a clean environment; a command's whole process group ends with it. */
export interface Shell {
  run(
    command: string,
    options: {
      cwd: string;
      timeoutMs?: number;
      signal?: AbortSignal;
      /** Standard output and error, interleaved as they come, decoded as UTF-8. */
      onOutput: (text: string) => void;
    },
  ): Promise<ShellResult>;
  /** Runs a program with exact arguments and no shell. */
  exec(
    program: string,
    args: readonly string[],
    options: { cwd: string; timeoutMs?: number; signal?: AbortSignal; maxBytes?: number; stdin?: string },
  ): Promise<ShellResult & { stdout: string; stderr: string }>;
}

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}

export interface Ids {
  /** A UUIDv7 for a session. */
  sessionId(): string;
  /** Eight hex digits for an entry, or a longer id where `taken` says that they are in use. */
  entryId(taken: (id: string) => boolean): string;
}
