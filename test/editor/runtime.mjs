// Fetches what a real VS Code in a browser needs: Node 24, the editor's server from the npm registry, and Chromium.
import { execFile, spawn } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

const NODE_VERSION = "24.21.0";
const CODE_SERVER_VERSION = "4.139.1";

/** Shared by all clones of a person, so that a second one starts at once. */
export const cacheFolder = process.env.COPPICE_DEV_CACHE ?? join(homedir(), ".cache", "coppice-dev");

function npm(args, cwd, log) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.platform === "win32" ? "npm.cmd" : "npm", args, {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32",
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code === 0) return resolve(output);
      log(output);
      reject(new Error(`npm ${args.join(" ")} failed with exit code ${code}`));
    });
  });
}

const QUIET = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

/** Installs packages into a folder of the cache; the folder appears whole or not at all. */
export async function installOnce(name, packages, log, finish) {
  const target = join(cacheFolder, name);
  if (existsSync(join(target, ".complete"))) return target;
  const parts = `${target}.${process.pid}`;
  await rm(parts, { recursive: true, force: true });
  await mkdir(parts, { recursive: true });
  await writeFile(join(parts, "package.json"), '{"private":true}\n');
  await npm(["install", "--save-exact", ...QUIET, ...packages], parts, log);
  await finish?.(parts);
  await writeFile(join(parts, ".complete"), `${packages.join(" ")}\n`);
  await rm(target, { recursive: true, force: true });
  try {
    await rename(parts, target);
  } catch (error) {
    if (!existsSync(join(target, ".complete"))) throw error; // Another process was quicker.
    await rm(parts, { recursive: true, force: true });
  }
  return target;
}

/** Path of a Node 24 binary. */
export async function ensureNode24(log = console.log) {
  if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const folder = await installOnce(`node-${NODE_VERSION}`, [`${name}@${NODE_VERSION}`], log);
  return join(folder, "node_modules", name, "bin", process.platform === "win32" ? "node.exe" : "node");
}

/** The editor's server. */
export async function ensureServer(log = console.log) {
  const folder = await installOnce(
    `vscode-${CODE_SERVER_VERSION}`,
    [`code-server@${CODE_SERVER_VERSION}`],
    log,
    async (parts) => {
      const server = join(parts, "node_modules", "code-server", "lib", "vscode");
      await npm(["install", "--omit=dev", ...QUIET], server, log);
      // A native logger; the server runs without it, with noise in its log.
      await npm(["rebuild", "@vscode/spdlog"], server, log).catch(() =>
        log("the native logger could not be built; going on without it"),
      );
    },
  );
  return join(folder, "node_modules", "code-server", "lib", "vscode", "out", "server-main.js");
}

function onPath(names) {
  for (const name of names) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      const candidate = join(folder, name);
      try {
        accessSync(candidate, constants.X_OK);
        return candidate;
      } catch {
        // Next.
      }
    }
  }
  return undefined;
}

/** A Chromium on the machine; as root on Debian it is installed where there is none. */
export async function ensureChromium(log = console.log) {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const found = process.env.CHROME_PATH ?? onPath(names);
  if (found !== undefined) return found;
  const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  if (existsSync(mac)) return mac;
  if (process.platform === "linux" && process.getuid?.() === 0 && onPath(["apt-get"]) !== undefined) {
    log("installing Chromium with apt-get …");
    const options = { maxBuffer: 64 * 1024 * 1024, env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
    await run("apt-get", ["update"], options);
    await run("apt-get", ["install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"], options);
    const installed = onPath(names);
    if (installed !== undefined) return installed;
  }
  throw new Error("No Chromium was found. Install chromium or Google Chrome, or set CHROME_PATH.");
}

/** A desktop VS Code on the PATH, or undefined. */
export function desktopCode() {
  return onPath(process.platform === "win32" ? ["code.cmd"] : ["code"]);
}

/** Version of the editor that was fetched. */
export async function serverVersion(serverMain) {
  const product = await readFile(join(serverMain, "..", "..", "product.json"), "utf8");
  return JSON.parse(product).version;
}
