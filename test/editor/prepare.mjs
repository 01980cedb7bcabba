// What both commands need before anything else: packages, a build, the VSIX. Quick where nothing changed.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const stateFile = join(root, ".cache", "prepared.json");

function readState() {
  try {
    return JSON.parse(readFileSync(stateFile, "utf8"));
  } catch {
    return {};
  }
}

function remember(key, value) {
  mkdirSync(dirname(stateFile), { recursive: true });
  writeFileSync(stateFile, JSON.stringify({ ...readState(), [key]: value }));
}

function hashOf(paths) {
  const hash = createHash("sha256");
  const add = (path) => {
    const full = join(root, path);
    if (!existsSync(full)) return;
    if (statSync(full).isDirectory()) for (const name of readdirSync(full).sort()) add(join(path, name));
    else hash.update(path).update(readFileSync(full));
  };
  for (const path of paths) add(path);
  return hash.digest("hex");
}

function run(command, args) {
  const result = spawnSync(command, args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  if (result.status !== 0) throw new Error(`${command} ${args.join(" ")} failed`);
}

/** Installs the project's packages where the lock file changed or they are missing. */
export function installPackages() {
  const wanted = hashOf(["package-lock.json"]);
  if (existsSync(join(root, "node_modules", "esbuild")) && (readState().packages ?? wanted) === wanted) return;
  console.log("installing packages …");
  run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
  remember("packages", wanted);
}

const SOURCES = [
  "src",
  "media",
  "l10n",
  "esbuild.mjs",
  "package.json",
  "package.nls.json",
  "package-lock.json",
  "README.md",
  "CHANGELOG.md",
  "LICENSE",
  ".vscodeignore",
];

/** Path of the VSIX as a user would install it, built where the sources changed. */
export function buildPackage() {
  const vsix = join(root, "dist", "coppice.vsix");
  const wanted = hashOf(SOURCES);
  if (existsSync(vsix) && readState().built === wanted) return vsix;
  console.log("building …");
  run("npm", ["run", "--silent", "package"]);
  remember("built", wanted);
  return vsix;
}

/** A copy of the sample workspace that may be changed. */
export function copySampleWorkspace(target) {
  mkdirSync(target, { recursive: true });
  const source = join(root, "test", "editor", "sample-workspace");
  for (const name of readdirSync(source, { recursive: true })) {
    const from = join(source, name);
    if (statSync(from).isDirectory()) continue;
    const to = join(target, name);
    mkdirSync(dirname(to), { recursive: true });
    if (!existsSync(to)) writeFileSync(to, readFileSync(from));
  }
  return target;
}

/** Runs git in a folder; used to make the sample workspace a repository. */
export function git(folder, ...args) {
  execFileSync("git", args, { cwd: folder, stdio: "ignore" });
}
