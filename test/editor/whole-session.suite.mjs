// One whole session on the installed VSIX, against a model server in each wire format (product.md, promises 1 to 3).
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openInPi } from "../reference/open-in-pi.mjs";
import { chainProblems, entriesOf, sessionFiles, textOf } from "./session-files.mjs";
import { askedIn, settingsFor, stepOf, WIRES } from "./wires.mjs";

export const name = "A whole session in each wire format";

const FIRST = "Please make src/greeting.ts friendlier (first)";
const SECOND = "And what now? (second)";
const OTHER = "Another way instead (other)";
const LAST = "What do you remember? (last)";
const STREAMED = Array.from({ length: 60 }, (_, i) => `word${i}`).join(" ");

export async function run(tools) {
  const only = process.env.COPPICE_WIRE;
  for (const api of WIRES.filter((wire) => only === undefined || wire === only))
    await tools.run.chain(() => session(api, tools));
}

async function session(api, { run, until, step: plainStep, expect }) {
  const step = (title, action) => plainStep(`${api}: ${title}`, action);
  const workspace = run.workspace();
  const file = join(workspace, "src", "greeting.ts");
  let home;
  const early = [];
  const server = await run.modelServer({
    contextWindow: 200_000,
    script(request) {
      const asked = askedIn(request);
      const onDisk =
        home === undefined
          ? ""
          : sessionFiles(home)
              .map((path) => readFileSync(path, "utf8"))
              .join("");
      // What the model is told must be on disk before it hears it.
      for (const prompt of [FIRST, SECOND, OTHER, LAST]) {
        if (asked.includes(prompt) && !onDisk.includes(prompt)) early.push(prompt);
      }
      if (asked.includes(FIRST) && request.tools.length > 0) {
        const replies = [
          { parts: [{ text: "I read it first." }, { call: { name: "read", arguments: { path: "src/greeting.ts" } } }] },
          {
            parts: [
              { text: "Now I change it." },
              {
                call: {
                  name: "edit",
                  arguments: { path: "src/greeting.ts", edits: [{ oldText: "Hello", newText: "A warm hello" }] },
                },
              },
            ],
          },
          { parts: [{ text: `It is changed. ${STREAMED}` }], fault: { kind: "slow", everyMs: 100 } },
        ];
        return replies[Math.min(stepOf(request), 2)];
      }
      return run.defaultReply(request);
    },
  });
  const editor = await run.editor({ workspace, settings: settingsFor(api, server.url) });
  home = editor.home;
  let page;
  let chat;

  await step("a prompt is answered by a stream that can be read while it comes", async () => {
    page = await run.window(editor);
    await page.command("Coppice: New Session");
    chat = await run.chat(page, editor);
    await chat.send(FIRST);
  });
  await step("the call is on disk while its approval is asked for, and the file is not changed", async () => {
    await chat.approval.waitFor({ timeout: 30_000 });
    const saved = chat.entries().flatMap((entry) => entry.message?.content ?? []);
    expect(
      saved.some((block) => block.type === "toolCall" && block.name === "edit"),
      "the call to be saved before it is run",
    );
    expect(!readFileSync(file, "utf8").includes("A warm hello"), "no change before the answer");
    await chat.answer("Allow");
  });
  await step("the edit is made and the answer is saved", async () => {
    const streaming = chat.articles("Coppice").filter({ hasText: "It is changed." });
    await streaming.waitFor();
    const whole = await streaming.filter({ hasText: "word59" }).isVisible();
    await chat.answered(FIRST);
    expect(!whole, "the first words to be shown before the last ones came");
    expect(readFileSync(file, "utf8").includes("A warm hello"), "the file to be changed");
    await run.shot(page, `${api}-1-answered`);
  });
  await step("the session file holds the conversation as one chain", async () => {
    const entries = chat.entries();
    expect(chainProblems(entries).length === 0, `a sound chain, not: ${chainProblems(entries).join("; ")}`);
    const roles = entries.filter((entry) => entry.type === "message").map((entry) => entry.message.role);
    const wanted = "user assistant toolResult assistant toolResult assistant";
    expect(roles.join(" ") === wanted, `${wanted}, not ${roles.join(" ")}`);
    expect(early.length === 0, `each prompt on disk before its request, but these were not: ${early.join(", ")}`);
  });
  await step("a second prompt, then the window is reloaded: the same conversation", async () => {
    await chat.send(SECOND);
    await chat.answered(SECOND);
    const rows = async () => (await chat.frame.getByRole("article").allInnerTexts()).slice(-2).join("\n");
    await until(async () => (await rows()).includes(`to: ${SECOND}`), "the answer to be shown");
    const before = await rows();
    await page.reload();
    chat = await run.chat(page, editor);
    await chat.said(SECOND).waitFor({ timeout: 30_000 });
    const same = async () => (await rows()) === before;
    await until(same, "the same rows", 10_000).catch(async () => expect(false, `${before}\nnot ${await rows()}`));
  });
  await step("looking at the first message changes nothing in the file", async () => {
    const before = readFileSync(chat.file, "utf8");
    await page.command("Coppice: Go to Entry…");
    const field = await page.quickInput("Go to Entry");
    await field.fill("(first)");
    await page.pick("(first)").click();
    await chat.said("(first)").waitFor();
    // The message was in sight before: only this says that it is being looked at.
    await chat.button("Continue from here").waitFor();
    expect(readFileSync(chat.file, "utf8") === before, "an unchanged file");
  });
  await step("continuing from there with another prompt makes a second branch", async () => {
    const before = readFileSync(chat.file, "utf8");
    await chat.act(chat.said("(first)"), "Edit");
    await until(async () => (await chat.composer.inputValue()) === FIRST, "the text in the composer");
    await chat.send(OTHER);
    await chat.answered(OTHER);
    await chat.button("Next branch").or(chat.button("Previous branch")).first().waitFor();
    expect(readFileSync(chat.file, "utf8").startsWith(before), "nothing to be lost");
    const last = server.requests().at(-1);
    const sent = JSON.stringify(last.body);
    expect(
      sent.includes(OTHER) && !sent.includes(FIRST) && !sent.includes(SECOND),
      `a request of the new branch only, not ${sent.slice(-1500)}`,
    );
    await run.shot(page, `${api}-2-branch`);
  });
  await step("the older branch is looked at and continued from", async () => {
    await chat.scrollTo(chat.button("Previous branch").first());
    const before = readFileSync(chat.file, "utf8");
    await chat.button("Previous branch").first().click();
    await chat.button("Continue from here").waitFor();
    expect(readFileSync(chat.file, "utf8") === before, "nothing to be written by looking");
    await chat.button("Continue from here").click();
    await chat.button("Continue from here").waitFor({ state: "hidden" });
    expect(chat.entries().filter((entry) => entry.type === "leaf").length === 2, "the move to be written");
  });
  await step("after a compaction the next request carries summary and kept tail, and nothing older", async () => {
    await page.command("Coppice: Compact");
    const focus = await page.quickInput("Compact");
    await focus.press("Enter");
    await page.page.getByRole("button", { name: "Keep Only the Last Turn" }).click({ timeout: 15_000 });
    await until(() => chat.entries().some((entry) => entry.type === "compaction"), "the compaction");
    await chat.idle();
    await chat.send(LAST);
    await chat.answered(LAST);
    const whole = JSON.stringify(server.requests().at(-1).body);
    // The summary itself quotes the last request that it covers.
    const sent = whole.replace(/<summary>.*<\/summary>/, "");
    expect(whole.includes("this summary was written by a script"), "the summary");
    expect(sent.includes(SECOND) && sent.includes(LAST), "the kept turn and the new prompt");
    const older = [FIRST, OTHER, "I read it first", "It is changed"].filter((text) => sent.includes(text));
    expect(older.length === 0, `nothing older, not ${older.join(", ")} in ${sent.slice(-3000)}`);
    await chat.toEnd();
    await chat.articles("Compaction").waitFor();
    await run.shot(page, `${api}-3-compacted`);
  });
  await step("the session opens in Pi with the same position and the same messages", async () => {
    const { ours, theirs } = openInPi(chat.file);
    expect(ours.leafId === theirs.leafId, `the position ${ours.leafId}, not ${theirs.leafId}`);
    expect(JSON.stringify(ours.messages) === JSON.stringify(theirs.messages), "the same context messages");
    expect(ours.messages.length > 3, "a context");
  });
  await step("undoing the compaction brings the whole path back", async () => {
    const before = readFileSync(chat.file, "utf8");
    await page.command("Coppice: Undo Compaction");
    await chat.articles("Compaction").waitFor({ state: "hidden", timeout: 15_000 });
    await chat.said(LAST).waitFor();
    expect(readFileSync(chat.file, "utf8").startsWith(before), "only an append");
    const { ours, theirs } = openInPi(chat.file);
    expect(ours.leafId === theirs.leafId, "the same position in Pi");
    const said = ours.messages.filter((message) => message.role === "user").map(textOf);
    expect(
      [FIRST, SECOND, LAST].every((text) => said.includes(text)),
      `all prompts, not ${said.join(" | ")}`,
    );
    expect(chainProblems(entriesOf(chat.file)).length === 0, "a sound chain");
  });
  await step("no request was refused and the page kept its content policy", async () => {
    const refused = server.journal.filter(({ status }) => status !== 200);
    expect(refused.length === 0, `no refusals, not ${JSON.stringify(refused.map((entry) => entry.refused))}`);
    expect(early.length === 0, "each prompt on disk before its request");
    expect(page.problems.length === 0, page.problems.join("; "));
    writeFileSync(join(run.shots, `${api}-requests.json`), JSON.stringify(server.requests(), undefined, 1));
  });
  await page.close();
  await editor.stop();
}
