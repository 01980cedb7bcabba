// Makes a whole file appear at once, however large: written beside its place, synced, renamed.
import { SessionError } from "../errors.ts";
import type { FileSystem } from "../ports.ts";

let counter = 0;

/** Calls `write` with a function that appends; on any failure nothing stays behind. The folder must exist. */
export async function publishFile(
  fs: FileSystem,
  path: string,
  write: (append: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<void> {
  const beside = `${path}.${Date.now().toString(36)}-${++counter}.tmp`;
  const file = await fs.open(beside, "create", 0o600);
  try {
    try {
      await write(async (bytes) => {
        for (let at = 0; at < bytes.length; ) {
          const taken = await file.append(at === 0 ? bytes : bytes.subarray(at));
          if (taken === 0) throw new SessionError("storage", `The disk took no more of ${beside}.`);
          at += taken;
        }
      });
      await file.sync();
    } finally {
      await file.close();
    }
    await fs.rename(beside, path);
  } catch (error) {
    await fs.remove(beside).catch(() => {});
    throw error;
  }
  await fs.syncDirectory(path.slice(0, Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"))) || "/");
}
