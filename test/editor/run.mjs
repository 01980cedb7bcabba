// Runs `*.suite.mjs` on the installed VSIX: `node test/editor/run.mjs [NAME …]` runs those whose file names hold a NAME.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadModelServer } from "../support/model-server-main.mjs";
import { EditorPage, launchBrowser } from "./browser.mjs";
import { Chat, until } from "./chat-page.mjs";
import { buildPackage, copySampleWorkspace, installPackages, root } from "./prepare.mjs";
import { startEditor } from "./server.mjs";

const folder = join(root, "test", "editor");

/** What a suite gets beside the counts: everything that it starts is stopped when it ends. */
class SuiteRun {
  #stops = [];
  constructor(name, shared) {
    this.shots = join(root, "test-results", "editor", name);
    this.counts = { passed: 0, failed: 0 };
    this.#shared = shared;
    mkdirSync(this.shots, { recursive: true });
  }
  #shared;
  #page;

  get vsix() {
    return this.#shared.vsix;
  }

  /** A fresh copy of the sample workspace. */
  workspace() {
    const target = mkdtempSync(join(tmpdir(), "coppice-workspace-"));
    this.#stops.push(() => rmSync(target, { recursive: true, force: true }));
    return copySampleWorkspace(target);
  }

  /** An editor with the VSIX installed, stopped with the suite. */
  async editor(options) {
    const editor = await startEditor({ vsix: this.#shared.vsix, log: console.log, ...options });
    this.#stops.push(() => editor.stop());
    return editor;
  }

  /** A window of an editor. */
  async window(editor, options) {
    const page = await EditorPage.open(this.#shared.browser, editor.url, options);
    this.#page = page;
    this.#stops.push(() => page.close().catch(() => {}));
    return page;
  }

  /** The chat of a window. */
  async chat(page, editor) {
    return new Chat(await page.chat(), editor.home);
  }

  /** A loopback model server. */
  async modelServer(options) {
    const server = await this.#shared.models.startModelServer(options);
    this.#stops.push(() => server.close());
    return server;
  }

  /** Script of the server that answers as the default one does. */
  get defaultReply() {
    return this.#shared.models.defaultScript;
  }

  expect(holds, what) {
    if (!holds) throw new Error(`expected ${what}`);
  }

  shot(page, name) {
    return page.screenshot(join(this.shots, `${name}.png`));
  }

  /** One step; after a failure the rest of its chain is not run and counts as failed with it. */
  async step(name, action) {
    const from = Date.now();
    try {
      await action();
      this.counts.passed += 1;
      console.log(`  ok    ${name} (${Date.now() - from} ms)`);
    } catch (error) {
      this.counts.failed += 1;
      console.log(`  FAIL  ${name}\n${error.stack}`);
      await this.#page?.screenshot(join(this.shots, `failure-${this.counts.failed}.png`)).catch(() => {});
      throw new StepFailed(name);
    }
  }

  /** Several steps that need each other; what follows the chain runs whatever became of it. */
  async chain(action) {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof StepFailed)) {
        this.counts.failed += 1;
        console.log(`  FAIL  ${error.stack}`);
      }
    }
  }

  async stop() {
    for (const stop of this.#stops.reverse()) await stop();
  }
}

class StepFailed extends Error {}

/** Runs the suites and returns how many steps held and how many did not. */
export async function runSuites({ vsix, only = [] }) {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".suite.mjs"))
    .filter((name) => only.length === 0 || only.some((part) => name.includes(part)))
    .sort();
  const shared = { vsix, browser: await launchBrowser(console.log), models: await loadModelServer() };
  const totals = { passed: 0, failed: 0 };
  try {
    for (const file of names) {
      const suite = await import(pathToFileURL(join(folder, file)).href);
      const run = new SuiteRun(file.replace(".suite.mjs", ""), shared);
      const from = Date.now();
      console.log(`\n${suite.name}`);
      await run.chain(() => suite.run({ run, until, step: run.step.bind(run), expect: run.expect.bind(run) }));
      await run.stop();
      totals.passed += run.counts.passed;
      totals.failed += run.counts.failed;
      console.log(
        `  ${run.counts.passed} passed, ${run.counts.failed} failed (${Math.round((Date.now() - from) / 1000)} s)`,
      );
    }
  } finally {
    await shared.browser.close();
  }
  return totals;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  installPackages();
  const { passed, failed } = await runSuites({ vsix: buildPackage(), only: process.argv.slice(2) });
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}
