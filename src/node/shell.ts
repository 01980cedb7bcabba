// Shell on child_process: fresh environment, own process group, ended as a whole.
import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join, resolve, sep } from "node:path";
import { StringDecoder } from "node:string_decoder";
import type { Shell, ShellResult } from "../core/ports.ts";

/** Variables that a command may see; keys and tokens of the editor's environment are none of them. */
const PASSED =
  /^(PATH|HOME|USER|LOGNAME|USERNAME|USERPROFILE|SHELL|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|TERM|DISPLAY|WAYLAND_DISPLAY|XDG_\w+|SSH_AUTH_SOCK|SYSTEMROOT|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|PROGRAMFILES.*|JAVA_HOME|GOPATH|GOROOT|CARGO_HOME|RUSTUP_HOME|NVM_DIR|NVM_BIN|VOLTA_HOME|PYENV_ROOT|VIRTUAL_ENV|CONDA_\w+|(HTTPS?|NO|ALL)_PROXY|NODE_EXTRA_CA_CERTS)$/i;

const KILL_AFTER_MS = 2000;
/** Descendants that left the group may hold the pipes open; they are not waited for. */
const DRAIN_MS = 250;

/** The environment of a command: the passed variables, no pagers, no prompts; the workspace's own folders off PATH. */
export function commandEnvironment(source: NodeJS.ProcessEnv, workspace?: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(source)) {
    if (PASSED.test(name) && !/(KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)/i.test(name)) {
      // Windows spells it Path.
      env[name.toUpperCase() === "PATH" ? "PATH" : name] = value;
    }
  }
  const path = (env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  env.PATH = path
    .filter(
      (folder) => workspace === undefined || !`${resolve(folder)}${sep}`.startsWith(`${resolve(workspace)}${sep}`),
    )
    .join(delimiter);
  return { ...env, PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0", NO_COLOR: "1", TERM: "dumb" };
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // Gone already.
  }
}

function supervise(
  child: ChildProcess,
  options: { timeoutMs?: number; signal?: AbortSignal },
  onChunk: (chunk: Buffer, stream: "stdout" | "stderr") => void,
): Promise<ShellResult> {
  return new Promise((resolve, reject) => {
    let timedOut = false;
    let aborted = false;
    let escalation: NodeJS.Timeout | undefined;
    const end = () => {
      killGroup(child, "SIGTERM");
      escalation ??= setTimeout(() => killGroup(child, "SIGKILL"), KILL_AFTER_MS);
    };
    const timer =
      options.timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            timedOut = true;
            end();
          }, options.timeoutMs);
    const onAbort = () => {
      aborted = true;
      end();
    };
    if (options.signal?.aborted) onAbort();
    else options.signal?.addEventListener("abort", onAbort, { once: true });
    const clean = () => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", onAbort);
    };
    child.stdout?.on("data", (chunk: Buffer) => onChunk(chunk, "stdout"));
    child.stderr?.on("data", (chunk: Buffer) => onChunk(chunk, "stderr"));
    child.stdin?.on("error", () => {}); // A program that does not read its input is no fault.
    child.once("error", (error) => {
      clean();
      clearTimeout(escalation);
      reject(error);
    });
    child.once("exit", (code, signal) => {
      clean();
      const settle = () => {
        clearTimeout(drain);
        if (timedOut || aborted) killGroup(child, "SIGKILL");
        clearTimeout(escalation);
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve({ exitCode: code ?? undefined, ...(signal === null ? {} : { signal }), timedOut, aborted });
      };
      const drain = setTimeout(settle, DRAIN_MS);
      child.once("close", settle);
    });
  });
}

function findProgram(name: string, path: string): string | undefined {
  for (const folder of path.split(delimiter)) {
    const candidate = join(folder, name);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Next folder.
    }
  }
  return undefined;
}

/** Makes the shell; programs inside `workspace` are never taken from PATH. */
export function createNodeShell(workspace?: () => string | undefined): Shell {
  return {
    async run(command, { cwd, timeoutMs, signal, onOutput }) {
      const env = commandEnvironment(process.env, workspace?.());
      const bash =
        findProgram("bash", env.PATH ?? "") ??
        (process.platform === "win32" ? findProgram("bash.exe", env.PATH ?? "") : "/bin/sh");
      if (bash === undefined) throw new Error("No bash was found on PATH.");
      const flags = bash.endsWith("sh") && !bash.endsWith("bash") ? ["-c"] : ["--noprofile", "--norc", "-c"];
      const child = spawn(bash, [...flags, command], {
        cwd,
        env,
        detached: process.platform !== "win32",
        stdio: ["ignore", "pipe", "pipe"],
        windowsHide: true,
      });
      const decoders = { stdout: new StringDecoder("utf8"), stderr: new StringDecoder("utf8") };
      return await supervise(
        child,
        { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(signal === undefined ? {} : { signal }) },
        (chunk, stream) => {
          const text = decoders[stream].write(chunk);
          if (text !== "") onOutput(text);
        },
      );
    },
    async exec(program, args, { cwd, timeoutMs, signal, maxBytes, stdin }) {
      const env = commandEnvironment(process.env, workspace?.());
      const absolute = isAbsolute(program) ? program : findProgram(program, env.PATH ?? "");
      if (absolute === undefined) throw new Error(`${program} was not found on PATH.`);
      const child = spawn(absolute, [...args], {
        cwd,
        env,
        detached: process.platform !== "win32",
        stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
        windowsHide: true,
      });
      if (stdin !== undefined) child.stdin?.end(stdin);
      const limit = maxBytes ?? 16 * 1024 * 1024;
      const chunks: Record<"stdout" | "stderr", Buffer[]> = { stdout: [], stderr: [] };
      let bytes = 0;
      const result = await supervise(
        child,
        { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(signal === undefined ? {} : { signal }) },
        (chunk, stream) => {
          bytes += chunk.length;
          if (bytes <= limit) chunks[stream].push(chunk);
          else killGroup(child, "SIGTERM");
        },
      );
      return {
        ...result,
        stdout: Buffer.concat(chunks.stdout).toString("utf8"),
        stderr: Buffer.concat(chunks.stderr).toString("utf8"),
      };
    },
  };
}
