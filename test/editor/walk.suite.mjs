// A random walk through the chat and the trees, by mouse and keyboard: what is sent is what is shown, and nothing is lost.
// `COPPICE_WALK_SEED=7 COPPICE_WALK_STEPS=60 COPPICE_WALKS=20 node test/editor/run.mjs walk` is the long form.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ACTIONS } from "./walk-actions.mjs";
import { Walk } from "./walk-state.mjs";
import { settingsFor, WIRES } from "./wires.mjs";

export const name = "A random walk: the request that is sent is the branch that is shown";

const FIRST_SEED = Number(process.env.COPPICE_WALK_SEED ?? 1);
const STEPS = Number(process.env.COPPICE_WALK_STEPS ?? 22);
const WALKS = Number(process.env.COPPICE_WALKS ?? 1);

export async function run(tools) {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + WALKS; seed++) await tools.run.chain(() => walk(seed, tools));
}

async function walk(seed, { run, until, step, expect }) {
  const api = WIRES[seed % WIRES.length];
  const state = new Walk(seed, { run, until, expect });
  const server = await run.modelServer({ contextWindow: 200_000, script: (request) => state.reply(request) });
  // A tooltip over the next row takes its click.
  const settings = settingsFor(api, server.url, { "workbench.hover.delay": 60_000 });
  const editor = await run.editor({ workspace: run.workspace(), settings });
  await step(`seed ${seed} over ${api}: two prompts begin it`, async () => {
    await state.begin(editor);
    await ACTIONS.send(state);
    await state.check();
    await ACTIONS.send(state);
    await state.check();
  });
  await step(`seed ${seed}: ${STEPS} steps keep every promise`, async () => {
    for (let at = 1; at <= STEPS; at++) {
      const kind = state.next();
      const from = Date.now();
      state.log.push(kind);
      try {
        await ACTIONS[kind](state);
        await state.check();
        state.log.push(`[${Date.now() - from}]`);
      } catch (error) {
        console.log(`        steps: ${state.log.join(" · ")}`);
        await run.shot(state.at.window, `seed-${seed}`);
        writeFileSync(join(run.shots, `seed-${seed}.jsonl`), readFileSync(state.file, "utf8"));
        throw error;
      }
    }
    console.log(`        ${state.log.join(" · ")}`);
    const refused = server.journal.filter(({ status }) => status !== 200).map((entry) => entry.refused);
    expect(refused.length === 0, `no refusals, not ${refused.join("; ")}`);
    const problems = state.windows.flatMap(({ window }) => window.problems);
    expect(problems.length === 0, problems.join("; "));
  });
  for (const { window } of state.windows) await window.close();
  await editor.stop();
}
