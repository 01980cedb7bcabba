// A lock file beside a session, for file systems whose appends are not atomic (product.md, Two writers).
import { SessionError } from "../errors.ts";
import type { Clock, FileSystem } from "../ports.ts";

export interface LockOptions {
  /** Who holds it, for people: host, process. */
  owner: string;
  /** A lock that was not renewed for this long is taken to be left behind (ms). */
  staleAfterMs?: number;
  /** How long to wait for another holder (ms). */
  waitMs?: number;
}

const STALE_AFTER_MS = 30_000;
const WAIT_MS = 10_000;
const POLL_MS = 25;

/** Runs `work` while holding `<path>.lock`. Throws `storage` where another keeps it. */
export async function withLock<T>(
  fs: FileSystem,
  clock: Clock,
  path: string,
  options: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const lock = `${path}.lock`;
  const until = clock.now() + (options.waitMs ?? WAIT_MS);
  for (;;) {
    try {
      const handle = await fs.open(lock, "create");
      try {
        await handle.append(new TextEncoder().encode(JSON.stringify({ owner: options.owner, since: clock.now() })));
      } finally {
        await handle.close();
      }
      break;
    } catch (error) {
      if ((error as { code?: string }).code !== "EEXIST") throw error;
      const held = await fs.stat(lock);
      if (held !== undefined && clock.now() - held.mtimeMs > (options.staleAfterMs ?? STALE_AFTER_MS)) {
        await fs.remove(lock);
      } else if (clock.now() > until) {
        throw new SessionError("storage", `Another process is writing to ${path}; its lock is ${lock}.`, error);
      } else await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
  try {
    return await work();
  } finally {
    await fs.remove(lock);
  }
}
