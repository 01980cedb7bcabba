// Which repository a folder is, so that its sessions are found again after it was moved (product.md, Session files).
import type { Shell } from "../core/ports.ts";
import { REPOSITORY_CUSTOM_TYPE, type RepositoryIdentity } from "../core/session/session-summary.ts";
import type { OpenSession } from "./open-session.ts";

const GIT_TIMEOUT_MS = 5000;
/** A repository's own configuration must not run anything when it is only asked for its name. */
const SAFE = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never"];

/** Remote and first commit of the folder's repository; empty where it is none or git is not there. */
export async function repositoryIdentity(shell: Shell, cwd: string): Promise<RepositoryIdentity> {
  const git = async (...args: string[]) => {
    try {
      const result = await shell.exec("git", [...SAFE, ...args], { cwd, timeoutMs: GIT_TIMEOUT_MS, maxBytes: 10_000 });
      return result.exitCode === 0 ? result.stdout.trim() : "";
    } catch {
      return ""; // No git: the session then has no repository.
    }
  };
  const [remote, roots] = await Promise.all([
    git("config", "--get", "remote.origin.url"),
    git("rev-list", "--max-parents=0", "HEAD"),
  ]);
  const rootCommit = roots.split("\n").at(-1) ?? "";
  return {
    ...(remote === "" ? {} : { remote: withoutCredentials(remote) }),
    ...(rootCommit === "" ? {} : { rootCommit }),
  };
}

/** A remote's address without user and password, which do not belong into a session file. */
export function withoutCredentials(remote: string): string {
  return remote.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, "$1");
}

/** Writes the identity into a new session once its first prompt is on disk. */
export function recordRepository(open: OpenSession, shell: Shell, onError: (error: unknown) => void): () => void {
  if (open.session.size() > 0 || open.fromPi) return () => {};
  const identity = repositoryIdentity(shell, open.session.cwd);
  const listening = open.onEvent((event) => {
    if (event.type !== "entries_saved") return;
    listening.dispose();
    void identity
      .then(async (found) => {
        if (found.remote === undefined && found.rootCommit === undefined) return;
        await open.session.appendCustomEntry(REPOSITORY_CUSTOM_TYPE, found);
      })
      .catch(onError);
  });
  return () => listening.dispose();
}
