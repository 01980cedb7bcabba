// Starts a real VS Code on a loopback port, with Coppice installed as a user would, or loaded from source.
import { execFile, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ensureNode24, ensureServer } from "./runtime.mjs";

const run = promisify(execFile);

export async function freePort() {
  return await new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

const USER_SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.enableExperiments": false,
  "telemetry.telemetryLevel": "off",
  "security.workspace.trust.enabled": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "update.mode": "none",
  "git.openRepositoryInParentFolders": "never",
  "chat.disableAIFeatures": true,
};

/**
 * @param {object} options
 * @param {string} options.workspace absolute folder to open; may be undefined
 * @param {string} [options.vsix] installed by the server's own command line
 * @param {string} [options.development] extension folder to load from source instead
 * @param {string} [options.tests] module with `run()`, run inside the extension host
 * @param {Record<string, unknown>} [options.settings]
 * @param {Record<string, string>} [options.env] seen by the extension host
 * @param {string} [options.home] HOME of the server, where sessions live
 */
export async function startEditor(options) {
  const log = options.log ?? (() => {});
  const [node, serverMain] = [await ensureNode24(log), await ensureServer(log)];
  const data = options.data ?? (await mkdtemp(join(tmpdir(), "coppice-editor-")));
  const folders = { user: join(data, "user"), server: join(data, "server"), extensions: join(data, "extensions") };
  await mkdir(join(folders.user, "User"), { recursive: true });
  await mkdir(folders.extensions, { recursive: true });
  const home = options.home ?? join(data, "home");
  await mkdir(home, { recursive: true });
  const settings = { ...USER_SETTINGS, ...options.settings };
  await writeFile(join(folders.user, "User", "settings.json"), JSON.stringify(settings, undefined, 2));
  const env = { ...process.env, HOME: home, ...options.env };
  // Keys of the person who runs the tests are none of the editor's business.
  for (const name of Object.keys(env))
    if (/(_API_KEY|_AUTH_TOKEN|_BASE_URL)$/.test(name) && !(name in (options.env ?? {}))) delete env[name];
  const common = [
    "--user-data-dir",
    folders.user,
    "--server-data-dir",
    folders.server,
    "--extensions-dir",
    folders.extensions,
  ];
  if (options.vsix !== undefined) {
    await run(
      node,
      [serverMain, ...common, "--accept-server-license-terms", "--install-extension", options.vsix, "--force"],
      { env },
    );
  }
  const port = options.port ?? (await freePort());
  const flags = [
    "--host",
    "127.0.0.1",
    "--port",
    String(port),
    "--without-connection-token",
    "--accept-server-license-terms",
    "--telemetry-level",
    "off",
  ];
  if (options.development !== undefined) flags.push("--enable-smoke-test-driver");
  const child = spawn(node, [serverMain, ...flags, ...common], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
  });
  const logFile = createWriteStream(join(data, "server.log"));
  child.stdout.pipe(logFile);
  child.stderr.pipe(logFile);
  let exited = false;
  child.once("exit", () => (exited = true));
  const origin = `http://127.0.0.1:${port}`;
  for (let attempt = 0; ; attempt++) {
    if (exited) throw new Error(`the editor's server ended at once; see ${join(data, "server.log")}`);
    const up = await fetch(`${origin}/version`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (up) break;
    if (attempt > 300) throw new Error("the editor's server did not answer within 30 s");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const remote = (path) => `vscode-remote://127.0.0.1:${port}${path}`;
  const payload = [];
  if (options.development !== undefined) payload.push(["extensionDevelopmentPath", remote(options.development)]);
  if (options.tests !== undefined) payload.push(["extensionTestsPath", remote(options.tests)]);
  const query = new URLSearchParams();
  if (options.workspace !== undefined) query.set("folder", options.workspace);
  if (payload.length > 0) query.set("payload", JSON.stringify(payload));
  return {
    url: `${origin}/?${query}`,
    origin,
    port,
    pid: child.pid,
    data,
    home,
    folders,
    serverLog: join(data, "server.log"),
    async stop({ keep = false } = {}) {
      if (!exited) {
        const gone = new Promise((resolve) => child.once("exit", resolve));
        try {
          process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGTERM");
        } catch {
          child.kill("SIGTERM");
        }
        const timer = setTimeout(() => {
          try {
            process.kill(-child.pid, "SIGKILL");
          } catch {
            child.kill("SIGKILL");
          }
        }, 3000);
        await gone;
        clearTimeout(timer);
      }
      if (!keep && options.data === undefined) await rm(data, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
