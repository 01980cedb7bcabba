// Whatever goes wrong ends in words that say what happened and what to do; the composer keeps its text and the next prompt works.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "./server.mjs";
import { entriesOf, sessionFiles, textOf } from "./session-files.mjs";
import { askedIn, settingsFor, stepOf } from "./wires.mjs";

export const name = "Bad input in the real editor";

export async function run(tools) {
  await tools.run.chain(() => noFolder(tools));
  await tools.run.chain(() => noModel(tools));
  await tools.run.chain(() => refusedConnection(tools));
  await tools.run.chain(() => wrongKey(tools));
  await tools.run.chain(() => badReplies(tools));
  await tools.run.chain(() => deletedFile(tools));
}

/** What the chat shows as text, with a wait for some words. */
async function shows(chat, words, until) {
  let shown = "";
  await until(
    async () => {
      shown = await chat.frame.locator("body").innerText();
      return words.test(shown);
    },
    `the chat to say ${words}`,
    20_000,
  ).catch((error) => {
    throw new Error(`${error.message}; it says:\n${shown}`);
  });
}

async function open(run, editor) {
  const page = await run.window(editor);
  await page.command("Coppice: New Session");
  return { page, chat: await run.chat(page, editor) };
}

async function noFolder({ run, until, step, expect }) {
  const server = await run.modelServer();
  const editor = await run.editor({ settings: settingsFor("openai-completions", server.url) });
  await step("without a folder a prompt is refused with the reason, and stays in the composer", async () => {
    const { page, chat } = await open(run, editor);
    await chat.composer.fill("Hello without a folder");
    await chat.button("Send").click();
    await shows(chat, /open a folder/i, until);
    expect((await chat.composer.inputValue()) === "Hello without a folder", "the text to stay");
    expect(server.requests().length === 0, "no request");
    await run.shot(page, "no-folder");
    await page.close();
  });
  await editor.stop();
}

async function noModel({ run, until, step, expect }) {
  const workspace = run.workspace();
  const editor = await run.editor({ workspace });
  await step("without a model the chat offers the ways to one, and works as soon as one is chosen", async () => {
    const { page, chat } = await open(run, editor);
    await shows(chat, /choose a model/i, until);
    await chat.composer.fill("What is in this folder?");
    await chat.composer.press("Enter");
    await shows(chat, /choose a model first/i, until);
    expect((await chat.composer.inputValue()) === "What is in this folder?", "the text to stay");
    await run.shot(page, "no-model");
    await chat.frame.getByRole("button", { name: /Try the demo/ }).click();
    await until(() => chat.button("Send").isEnabled(), "the prompt to be sendable");
    await chat.button("Send").click();
    await chat.answered("What is in this folder?");
    await page.close();
  });
  await editor.stop();
}

async function refusedConnection({ run, until, step, expect }) {
  const workspace = run.workspace();
  const dead = `http://127.0.0.1:${await freePort()}`;
  const settings = settingsFor("openai-completions", dead, { "coppice.retry.maxRetries": 1 });
  const editor = await run.editor({ workspace, settings });
  await step("a refused connection names the address, and the next prompt is taken", async () => {
    const { page, chat } = await open(run, editor);
    await chat.send("Is anybody there?");
    await chat.answered("Is anybody there?");
    await shows(chat, new RegExp(`${new URL(dead).port}`), until);
    await run.shot(page, "refused-connection");
    await chat.send("And now?");
    await chat.answered("And now?");
    expect(chat.entries().filter((entry) => entry.message?.role === "user").length === 2, "both prompts to be kept");
    await page.close();
  });
  await editor.stop();
}

async function wrongKey({ run, until, step, expect }) {
  const workspace = run.workspace();
  const server = await run.modelServer({ requireKey: "right-key-123456" });
  const editor = await run.editor({
    workspace,
    settings: settingsFor("anthropic-messages", server.url, { needsKey: true }),
  });
  let page;
  let chat;
  const enterKey = async (key) => {
    const field = await page.quickInput("Loopback");
    await field.fill(key);
    await field.press("Enter");
  };
  await step("without its key a request is not sent and the chat says where to enter one", async () => {
    ({ page, chat } = await open(run, editor));
    await chat.send("Hello with no key");
    await shows(chat, /there is no key|no key for/i, until);
    await chat.idle();
    expect(server.requests().length === 0, "no request without a key");
    await run.shot(page, "no-key");
  });
  await step("a wrong key is told as such, and the composer goes on working", async () => {
    await page.command("Coppice: Manage Providers…");
    const list = await page.quickInput("Manage Providers");
    await list.fill("Loopback");
    await page.pick("Loopback").click();
    await enterKey("wrong-key-123456");
    await page.quickInput("Loopback");
    await page.pick("test-model").click();
    await chat.send("Hello with a wrong key");
    await chat.answered("Hello with a wrong key");
    await shows(chat, /key/i, until);
    expect(server.requests().length >= 1, "a request");
    expect(server.requests().length <= 2, "no retries of a refused key");
    await run.shot(page, "wrong-key");
    const shown = await chat.frame.locator("body").innerText();
    expect(!shown.includes("wrong-key-123456"), "the key not to be shown");
  });
  await step("with the right key the next prompt is answered", async () => {
    await page.command("Coppice: Manage Providers…");
    const list = await page.quickInput("Manage Providers");
    await list.fill("Loopback");
    await page.pick("Loopback").click();
    await page.quickInput("Loopback");
    await page.pick("Replace the key").click();
    await enterKey("right-key-123456");
    await page.quickInput("Loopback");
    await page.pick("test-model").click();
    await chat.send("Hello with the right key");
    await chat.answered("Hello with the right key");
    await chat.articles("Coppice").filter({ hasText: "Scripted answer" }).last().waitFor();
    const session = readFileSync(chat.file, "utf8");
    expect(!session.includes("right-key-123456") && !session.includes("wrong-key-123456"), "no key in the session");
    await page.close();
  });
  await editor.stop();
}

async function badReplies({ run, until, step, expect }) {
  const workspace = run.workspace();
  writeFileSync(join(workspace, "picture.bin"), Buffer.from([0, 159, 146, 150, 0, 1, 2, 3, 255, 254]));
  const call = (name, args) => ({ parts: [{ call: { name, ...args } }] });
  const server = await run.modelServer({
    script(request) {
      // A prompt without an answer is sent in one message with the next one.
      const asked = askedIn(request).split("\n").at(-1);
      if (stepOf(request) > 0) return { parts: [{ text: `The result was seen: ${asked}` }] };
      if (asked.includes("cut the stream"))
        return {
          parts: [{ text: "Half of an answer that never ends ".repeat(8) }],
          fault: { kind: "destroyAt", byte: 900 },
        };
      if (asked.includes("invalid JSON")) return call("read", { rawArguments: '{"path": "src/gre' });
      if (asked.includes("unknown tool")) return call("frobnicate", { arguments: { path: "x" } });
      if (asked.includes("missing file")) return call("read", { arguments: { path: "no/such/file.txt" } });
      if (asked.includes("binary file")) return call("read", { arguments: { path: "picture.bin" } });
      return { parts: [{ text: `Fine: ${asked}` }] };
    },
  });
  const editor = await run.editor({
    workspace,
    settings: settingsFor("openai-completions", server.url, { "coppice.retry.maxRetries": 1 }),
  });
  const { page, chat } = await open(run, editor);
  const result = () => {
    const last = chat.entries().findLast((entry) => entry.message?.role === "toolResult");
    return last === undefined ? "" : textOf(last.message);
  };
  const fine = async () => {
    await chat.send("Go on");
    await chat.answered("Go on");
    await chat.articles("Coppice").filter({ hasText: "Fine: Go on" }).last().waitFor();
  };
  await step("a stream that is cut half-way is told, what came stays, and the next prompt works", async () => {
    await chat.send("Please cut the stream");
    await chat.answered("Please cut the stream");
    await shows(chat, /connection|broke off|ended before/i, until);
    await run.shot(page, "cut-stream");
    await fine();
  });
  for (const [what, words] of [
    ["invalid JSON", /JSON|argument/i],
    ["unknown tool", /no tool named "?frobnicate/i],
    ["missing file", /not found|no such|no file|does not exist/i],
    ["binary file", /binary|not text|no text/i],
  ]) {
    await step(`a call with ${what} gets a result that says so, and the run goes on`, async () => {
      const prompt = `Please try ${what}`;
      await chat.send(prompt);
      await chat.answered(prompt);
      expect(words.test(result()), `a result with ${words}, not ${result()}`);
      await chat
        .articles("Coppice")
        .filter({ hasText: `The result was seen: ${prompt}` })
        .last()
        .waitFor();
    });
  }
  await step("the next prompt works and no request was refused for a broken history", async () => {
    await fine();
    await chat.toEnd();
    await run.shot(page, "bad-calls");
    const refused = server.journal.filter(({ status }) => status !== 200);
    expect(refused.length === 0, `no refusals, not ${refused.map((entry) => entry.refused).join("; ")}`);
  });
  await page.close();
  await editor.stop();
}

async function deletedFile({ run, until, step, expect }) {
  const workspace = run.workspace();
  const server = await run.modelServer();
  const editor = await run.editor({ workspace, settings: settingsFor("openai-completions", server.url) });
  const { page, chat } = await open(run, editor);
  await step(
    "a session file that is deleted while open comes back whole, or the chat says that it is not saved",
    async () => {
      await chat.send("Before the deletion");
      await chat.answered("Before the deletion");
      const file = chat.file;
      chat.followed = file;
      rmSync(file);
      await chat.send("After the deletion");
      await until(
        async () => existsSync(file) || /not saved/i.test(await chat.frame.locator("body").innerText()),
        "the file or a word about it",
      );
      await run.shot(page, "deleted-file");
      await chat.answered("After the deletion");
      const texts = entriesOf(file)
        .filter((entry) => entry.type === "message")
        .map((entry) => textOf(entry.message));
      expect(texts.includes("Before the deletion") && texts.includes("After the deletion"), "all of it");
      expect(sessionFiles(editor.home).length === 1, "one file");
    },
  );
  await page.close();
  await editor.stop();
}
