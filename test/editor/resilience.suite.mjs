// What happens to a run when the window, the view or the whole extension host goes away; restricted mode; two windows.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chainProblems, textOf } from "./session-files.mjs";
import { askedIn, settingsFor, stepOf } from "./wires.mjs";

export const name = "Restricted mode, crashes, reloads and two windows";

export async function run(tools) {
  await tools.run.chain(() => restricted(tools));
  await tools.run.chain(() => crash(tools));
  await tools.run.chain(() => hiddenAndReloaded(tools));
  await tools.run.chain(() => queuedWords(tools));
  await tools.run.chain(() => failuresAndTabs(tools));
  await tools.run.chain(() => twoWindows(tools));
}

const LONG = Array.from({ length: 80 }, (_, i) => `piece${i}`).join(" ");

/** A long answer that takes some seconds, for prompts that ask for it. */
function slowScript(run) {
  return (request) =>
    askedIn(request).includes("slowly") && request.tools.length > 0
      ? { parts: [{ text: LONG }], fault: { kind: "slow", everyMs: 100 } }
      : run.defaultReply(request);
}

async function open(run, editor, url) {
  const page = await run.window(url === undefined ? editor : { ...editor, url });
  await page.command("Coppice: New Session");
  return { page, chat: await run.chat(page, editor) };
}

async function restricted({ run, until, step, expect }) {
  const workspace = run.workspace();
  const server = await run.modelServer();
  const evil = await run.modelServer();
  const wanted = settingsFor("openai-completions", server.url);
  // What a hostile workspace would like to be.
  mkdirSync(join(workspace, ".vscode"), { recursive: true });
  const hostile = { ...settingsFor("openai-completions", evil.url), "coppice.approvals.mode": "all" };
  writeFileSync(join(workspace, ".vscode", "settings.json"), JSON.stringify(hostile));
  const trusted = await run.editor({ workspace, settings: wanted });
  let home;
  await step("a workspace cannot choose endpoints or approvals", async () => {
    const { page, chat } = await open(run, trusted);
    await chat.send("Edit src/greeting.ts please");
    await chat.approval.waitFor({ timeout: 30_000 });
    await chat.answer("Deny");
    await chat.answered("Edit src/greeting.ts please");
    expect(evil.journal.length === 0, "the workspace's endpoint to hear nothing");
    expect(server.requests().length > 0, "the person's endpoint to be used");
    expect(readFileSync(join(workspace, "src/greeting.ts"), "utf8").includes("return `Hello, "), "no edit");
    home = trusted.home;
    await page.close();
  });
  const restrictedEditor = await run.editor({
    workspace,
    home,
    settings: {
      ...wanted,
      "security.workspace.trust.enabled": true,
      "security.workspace.trust.startupPrompt": "never",
    },
  });
  await step("in Restricted Mode sessions are read, and sending is refused with the reason", async () => {
    const page = await run.window(restrictedEditor);
    await page.command("Coppice: New Session");
    const chat = await run.chat(page, restrictedEditor);
    const before = server.journal.length;
    await chat.frame
      .getByText(/restricted mode/i)
      .first()
      .waitFor();
    await chat.composer.fill("Hello");
    await chat.composer.press("Enter");
    await until(
      async () => /off in Restricted Mode|restricted/i.test(await chat.frame.locator("body").innerText()),
      "the reason",
    );
    expect((await chat.composer.inputValue()) === "Hello", "the text to stay");
    await page.command("Coppice: Open Session…");
    await page.quickInput("Open Session");
    await page.pick("Edit src/greeting.ts please").click();
    await chat.said("Edit src/greeting.ts please").waitFor({ timeout: 15_000 });
    expect(server.journal.length === before, "nothing to be sent");
    await run.shot(page, "restricted");
    await page.close();
  });
  await restrictedEditor.stop();
  await trusted.stop();
}

/** Process ids of the extension hosts below a server. */
function extensionHosts(editor) {
  return execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes("--type=extensionHost") && isBelow(Number(line.trim().split(" ")[0]), editor.pid))
    .map((line) => Number(line.trim().split(" ")[0]));
}

function isBelow(pid, ancestor) {
  for (let at = pid; at > 1; ) {
    if (at === ancestor) return true;
    try {
      at = Number(/^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${at}/stat`, "utf8"))[1]);
    } catch {
      return false;
    }
  }
  return false;
}

async function crash({ run, until, step, expect }) {
  const workspace = run.workspace();
  const server = await run.modelServer({
    script(request) {
      if (askedIn(request).includes("side effect") && request.tools.length > 0) {
        if (stepOf(request) > 0) return { parts: [{ text: LONG }], fault: { kind: "slow", everyMs: 200 } };
        return { parts: [{ call: { name: "bash", arguments: { command: "echo once >> side-effect.txt" } } }] };
      }
      return run.defaultReply(request);
    },
  });
  const editor = await run.editor({ workspace, settings: settingsFor("openai-responses", server.url) });
  const effects = join(workspace, "side-effect.txt");
  let page;
  let chat;
  await step("what is typed in a session without a message survives a reload and a crash", async () => {
    ({ page, chat } = await open(run, editor));
    const there = (text) => async () => (await (await run.chat(page, editor)).composer.inputValue()) === text;
    await chat.composer.fill("typed before the first message");
    await page.page.waitForTimeout(1000);
    await page.reload();
    await page.openChat();
    await until(there("typed before the first message"), "the draft after a reload");
    await page.command("Coppice: New Session");
    await page.page.waitForTimeout(1500);
    expect(await there("typed before the first message")(), "the draft in the session that is begun");
    const before = extensionHosts(editor);
    for (const pid of before) process.kill(pid, "SIGKILL");
    await until(() => extensionHosts(editor).some((pid) => !before.includes(pid)), "a new extension host");
    await until(there("typed before the first message"), "the draft after a crash");
    chat = await run.chat(page, editor);
    await chat.composer.fill("");
    await page.command("Coppice: New Session");
  });
  await step("the extension host is killed in the middle of a run", async () => {
    chat = await run.chat(page, editor);
    await chat.send("Make a side effect");
    await chat.answer("Allow");
    await until(() => existsSync(effects), "the command to have run");
    await until(() => chat.entries().some((entry) => entry.message?.role === "toolResult"), "its result to be saved");
    const hosts = extensionHosts(editor);
    expect(hosts.length > 0, "an extension host");
    for (const pid of hosts) process.kill(pid, "SIGKILL");
  });
  await step("the editor starts it again, and the conversation is back with nothing run twice", async () => {
    await until(() => extensionHosts(editor).length > 0, "a new extension host");
    await page.reload();
    chat = await run.chat(page, editor);
    await chat.said("Make a side effect").waitFor({ timeout: 30_000 });
    await chat.idle();
    expect(readFileSync(effects, "utf8") === "once\n", "the command to have run once");
    expect(chainProblems(chat.entries()).length === 0, "a sound chain");
    await run.shot(page, "after-crash");
  });
  await step("what is being typed is there after a crash, and after a reload right behind it", async () => {
    await chat.composer.fill("typed before the crash");
    await page.page.waitForTimeout(1000);
    const before = extensionHosts(editor);
    for (const pid of before) process.kill(pid, "SIGKILL");
    await until(() => extensionHosts(editor).some((pid) => !before.includes(pid)), "a new extension host");
    chat = await run.chat(page, editor);
    await until(async () => (await chat.composer.inputValue()) === "typed before the crash", "the draft");
    await chat.composer.fill("typed before the reload");
    await page.page.waitForTimeout(1000);
    await page.reload();
    await page.openChat();
    chat = await run.chat(page, editor);
    await until(async () => (await chat.composer.inputValue()) === "typed before the reload", "the draft");
    await chat.composer.fill("");
    await page.page.waitForTimeout(1000);
    await page.reload();
    await page.openChat();
    chat = await run.chat(page, editor);
    await chat.said("Make a side effect").waitFor({ timeout: 30_000 });
    await page.page.waitForTimeout(1000);
    expect((await chat.composer.inputValue()) === "", "nothing that was taken out");
  });
  await step("what is being typed in a tab is kept too, beside that of the side bar", async () => {
    const composers = async () => {
      const boxes = page.page.frames().map((frame) => frame.getByRole("textbox", { name: "Message Coppice" }));
      const texts = await Promise.all(boxes.map((box) => box.inputValue({ timeout: 300 }).catch(() => undefined)));
      return boxes.map((box, i) => ({ box, text: texts[i] })).filter(({ text }) => text !== undefined);
    };
    const texts = async () => (await composers()).map(({ text }) => text).sort();
    await chat.composer.fill("in the side bar");
    await page.command("Coppice: Open Chat in Editor");
    await until(async () => (await texts()).join() === ",in the side bar", "a composer in a tab");
    await (await composers()).find(({ text }) => text === "").box.fill("in the tab");
    await page.page.waitForTimeout(1000);
    await page.reload();
    await page.openChat();
    await until(async () => (await texts()).includes("in the side bar"), "the draft of the side bar");
    // A window in a browser that is loaded again may have lost the tab: the draft waits for it.
    if ((await composers()).length === 1) await page.command("Coppice: Open Chat in Editor");
    await until(async () => (await texts()).join() === "in the side bar,in the tab", "both drafts");
    for (const { box } of await composers()) await box.fill("");
    await page.page.waitForTimeout(1000);
    await page.command("View: Close All Editors");
    await until(async () => (await texts()).join() === "", "the side bar's chat alone");
    chat = await run.chat(page, editor);
  });
  await step("the next prompt continues the conversation", async () => {
    await chat.send("Are you back?");
    await chat.answered("Are you back?");
    expect(readFileSync(effects, "utf8") === "once\n", "the command not to run again");
    const sent = JSON.stringify(server.requests().at(-1).body);
    expect(sent.includes("Make a side effect") && sent.includes("Are you back?"), "the whole conversation in it");
    const refused = server.journal.filter(({ status }) => status !== 200);
    expect(refused.length === 0, "no request to be refused");
    await page.close();
  });
  await editor.stop();
}

async function hiddenAndReloaded({ run, until, step, expect }) {
  const workspace = run.workspace();
  const server = await run.modelServer({ script: slowScript(run) });
  const editor = await run.editor({ workspace, settings: settingsFor("openai-completions", server.url) });
  const { page, chat: first } = await open(run, editor);
  let chat = first;
  await step("a draft, its caret and the run survive that the view is hidden", async () => {
    await chat.send("Answer slowly please");
    await chat.articles("Coppice").filter({ hasText: "piece0" }).waitFor();
    await chat.composer.fill("a draft that stays");
    await page.command("View: Toggle Secondary Side Bar Visibility");
    await until(
      async () =>
        !(await chat.frame
          .locator("body")
          .isVisible()
          .catch(() => false)),
      "the view to be gone",
    );
    await until(() => chat.entries().some((entry) => entry.message?.role === "assistant"), "the answer to be saved");
    await page.command("View: Toggle Secondary Side Bar Visibility");
    chat = await run.chat(page, editor);
    await chat.articles("Coppice").filter({ hasText: "piece79" }).waitFor({ timeout: 15_000 });
    expect((await chat.composer.inputValue()) === "a draft that stays", "the draft");
    const saved = chat.entries().findLast((entry) => entry.message?.role === "assistant");
    expect(textOf(saved.message) === LONG, "the whole answer on disk");
  });
  await step("a reload in mid-stream keeps the prompt, and the conversation goes on", async () => {
    await chat.send("Again slowly please");
    await chat.articles("Coppice").filter({ hasText: "piece0" }).last().waitFor();
    await until(async () => (await chat.articles("Coppice").last().innerText()).includes("piece5"), "some text");
    await page.reload();
    // The workbench may come back with the side bar as it was before it was shown again.
    await page.openChat();
    chat = await run.chat(page, editor);
    await chat.said("Again slowly please").waitFor({ timeout: 30_000 });
    await chat.idle();
    // Nobody stopped it, and what had come is there.
    const half = chat.articles("Coppice").last();
    await half.getByText("Cut off when the editor closed").waitFor();
    expect((await half.innerText()).includes("piece0"), "what had come");
    await run.shot(page, "reloaded-in-stream");
    const last = () => chat.entries().findLast((entry) => entry.message?.role === "assistant").message;
    expect(last().stopReason === "aborted" && textOf(last()).startsWith("piece0"), "the half on disk");
    await chat.button("Go On").click();
    await until(() => last().stopReason === "stop" && textOf(last()).length > 0, "an answer after it");
    await chat.idle();
    await chat.send("Are you there?");
    await chat.answered("Are you there?");
    expect(chainProblems(chat.entries()).length === 0, "a sound chain");
    const refused = server.journal.filter(({ status }) => status !== 200);
    expect(refused.length === 0, `no refusals, not ${JSON.stringify(refused.map((entry) => entry.refused))}`);
    await page.close();
  });
  await editor.stop();
}

async function queuedWords({ run, until, step, expect }) {
  const workspace = run.workspace();
  const server = await run.modelServer({ script: slowScript(run) });
  const editor = await run.editor({ workspace, settings: settingsFor("openai-completions", server.url) });
  const { page, chat: first } = await open(run, editor);
  let chat = first;
  const sentOf = (text) => server.requests().filter(({ body }) => JSON.stringify(body).includes(text)).length;
  const saidOf = (text) =>
    chat.entries().filter((entry) => entry.message?.role === "user" && textOf(entry.message) === text);
  const queue = async (prompt, text) => {
    await chat.send(prompt);
    await chat.articles("Coppice").filter({ hasText: "piece0" }).last().waitFor();
    await chat.composer.fill(text);
    await chat.composer.press("Alt+Enter");
    await chat.frame.getByRole("list", { name: "Queued messages" }).getByText(text).waitFor();
    expect((await chat.composer.inputValue()) === "", "the composer to be empty");
    // The editor takes a moment to write down the state that extensions give it.
    await page.page.waitForTimeout(1000);
  };
  const isBack = (text) => until(async () => (await chat.composer.inputValue()) === text, `“${text}” in the composer`);

  await step("what was queued is in the composer again after a reload, and was not sent", async () => {
    await queue("Answer slowly please", "queued before the reload");
    await page.reload();
    await page.openChat();
    chat = await run.chat(page, editor);
    await isBack("queued before the reload");
    await chat.idle();
    expect(sentOf("queued before the reload") === 0, "nothing to be sent by itself");
    await run.shot(page, "queued-after-reload");
  });

  await step("another reload does not bring it twice, and it is sent once, by hand", async () => {
    await page.reload();
    await page.openChat();
    chat = await run.chat(page, editor);
    await isBack("queued before the reload");
    await chat.button("Send").click();
    await chat.answered("queued before the reload");
    expect(saidOf("queued before the reload").length === 1, "one message");
    expect((await chat.composer.inputValue()) === "", "an empty composer");
  });

  await step("it is back after a crash of the extension host as well", async () => {
    await queue("Once more slowly please", "queued before the crash");
    for (const pid of extensionHosts(editor)) process.kill(pid, "SIGKILL");
    await until(() => extensionHosts(editor).length > 0, "a new extension host");
    await page.reload();
    await page.openChat();
    chat = await run.chat(page, editor);
    await isBack("queued before the crash");
    expect(sentOf("queued before the crash") === 0, "nothing to be sent by itself");
    await chat.button("Send").click();
    await chat.answered("queued before the crash");
    expect(saidOf("queued before the crash").length === 1, "one message");
    expect(chainProblems(chat.entries()).length === 0, "a sound chain");
    await page.close();
  });
  await editor.stop();
}

async function failuresAndTabs({ run, until, step, expect }) {
  const workspace = run.workspace();
  const server = await run.modelServer({
    script(request) {
      if (askedIn(request).includes("fail")) return { error: { status: 503, message: "out of order" } };
      if (askedIn(request).includes("silent")) return { parts: [] };
      return run.defaultReply(request);
    },
  });
  const editor = await run.editor({ workspace, settings: settingsFor("openai-completions", server.url) });
  const { page, chat: first } = await open(run, editor);
  const chat = first;
  await step("an empty reply says what happened, and offers to ask again", async () => {
    await chat.send("Be silent");
    await chat.frame.getByText("The model’s reply came back empty.").waitFor();
    await chat.frame.getByText("Tried 2 times.").waitFor();
    await run.shot(page, "empty-reply");
    const before = server.journal.length;
    await chat.button("Retry").last().click();
    await until(() => server.journal.length > before, "another request");
    await chat.idle();
  });
  await step("attempts that fail one after the other are one row that counts", async () => {
    await chat.send("Please fail");
    await chat
      .articles("Coppice")
      .filter({ hasText: /HTTP 503.*Tried 4 times\./ })
      .waitFor();
    await chat.idle();
    expect((await chat.articles("Coppice").filter({ hasText: "HTTP 503" }).count()) === 1, "one row for four attempts");
    await run.shot(page, "failed-attempts");
  });
  await step("chat, inspector, comparison and branch map come back with the window as tabs", async () => {
    await page.command("Coppice: New Session");
    await chat.frame.getByText("What shall we grow?").waitFor();
    for (const text of ["One", "Two"]) {
      await chat.send(text);
      await chat.answered(text);
    }
    await page.command("Coppice: Go to Entry…");
    await page.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "to: One" }).first().click();
    await chat.button("Continue from here").click();
    await chat.button("Back to current").waitFor({ state: "hidden" });
    await chat.send("Three");
    await chat.answered("Three");
    await page.command("Coppice: Compare with Current…");
    await page.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "to: Two" }).first().click();
    const tab = (name) => page.page.getByRole("tab", { name });
    await tab(/^Branches: /).waitFor();
    await page.command("Coppice: Inspect Context");
    await tab(/^Context: /).waitFor();
    await page.command("Coppice: Branch Map");
    await tab(/^Branch Map: /).waitFor();
    await page.command("Coppice: Rename Session…");
    await page.page.locator(".quick-input-widget input").waitFor();
    await page.page.waitForTimeout(300);
    await page.page.keyboard.press("Control+A");
    await page.page.keyboard.type("Growing");
    await page.page.keyboard.press("Enter");
    await page.command("Coppice: Open Chat in Editor");
    await tab(/^Growing/).waitFor();
    // The editor writes down which tabs are open once a minute.
    await page.page.waitForTimeout(65_000);
    await page.reload();
    const shows = (heading) =>
      until(async () => {
        for (const frame of page.page.frames()) {
          if (frame.isDetached() || frame === page.page.mainFrame()) continue;
          if (
            await frame
              .getByRole("heading", { name: heading })
              .isVisible()
              .catch(() => false)
          )
            return true;
        }
        return false;
      }, `a tab with the heading ${heading}`);
    await until(async () => {
      const said = page.page.frames().map((frame) =>
        frame.isDetached()
          ? 0
          : frame
              .getByRole("article", { name: "You" })
              .filter({ hasText: "Three" })
              .count()
              .catch(() => 0),
      );
      return (await Promise.all(said)).filter((count) => count > 0).length === 2;
    }, "the conversation in the side bar and in its tab");
    await run.shot(page, "chat-tab-back");
    await tab(/^Branch Map: /).click();
    await shows(/^Branch map/);
    await tab(/^Context: /).click();
    await shows(/^Messages \(\d+\)/);
    await tab(/^Branches/).click();
    await shows(/^Second branch/);
    await run.shot(page, "tabs-back");
    await page.close();
  });
  await editor.stop();
}

async function twoWindows({ run, step, expect }) {
  const workspace = run.workspace();
  const server = await run.modelServer();
  const editor = await run.editor({ workspace, settings: settingsFor("openai-completions", server.url) });
  await step(
    "two windows on one session lose nothing, and each shows the branch of the other beside its own",
    async () => {
      const { page: one, chat: left } = await open(run, editor);
      await left.send("From the first window");
      await left.answered("From the first window");
      const two = await run.window(editor);
      await two.command("Coppice: Open Session…");
      await two.quickInput("Open Session");
      await two.pick("From the first window").click();
      const right = await run.chat(two, editor);
      await right.said("From the first window").waitFor({ timeout: 30_000 });
      await right.send("From the second window");
      await right.answered("From the second window");
      await left.send("And the first again");
      await left.answered("And the first again");
      await right.send("And the second again");
      await right.answered("And the second again");
      const said = left
        .entries()
        .filter((entry) => entry.message?.role === "user")
        .map((entry) => textOf(entry.message));
      const all = ["From the first window", "From the second window", "And the first again", "And the second again"];
      expect(
        all.every((text) => said.includes(text)),
        `all prompts, not ${said.join(" | ")}`,
      );
      expect(chainProblems(left.entries()).length === 0, "a sound chain");
      for (const chat of [left, right])
        await chat.frame.getByRole("group", { name: "Branches from here" }).first().waitFor();
      await run.shot(one, "two-windows-first");
      await run.shot(two, "two-windows-second");
      await one.close();
      await two.close();
    },
  );
  await editor.stop();
}
