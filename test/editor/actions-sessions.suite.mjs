// The Sessions view: each action by mouse and by keyboard, Pi's sessions, forks, a folder that was moved, import, export.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git } from "./prepare.mjs";
import { sessionFiles } from "./session-files.mjs";
import { Trees } from "./tree-page.mjs";
import { Keys, Ways } from "./ways.mjs";
import { settingsFor } from "./wires.mjs";

export const name = "The Sessions view, by mouse and by keyboard";

const ACTIONS = [
  "Open",
  "Search",
  "Rename",
  "Delete",
  "Undo the deletion",
  "Fork",
  "Adopt a moved folder",
  "Import",
  "Export HTML",
  "Export Markdown",
  "Export JSONL",
  "Open as an editor tab",
];
const VIEW = "Sessions";

/** A session file with one prompt and its answer. */
function sessionText({ id, cwd, prompt, more = [] }) {
  const timestamp = new Date().toISOString();
  const message = (own, parentId, content) => ({ type: "message", id: own, parentId, timestamp, message: content });
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };
  const answer = { role: "assistant", content: [{ type: "text", text: `About ${prompt}` }], stopReason: "stop", usage };
  const lines = [
    { type: "session", version: 3, id, timestamp, cwd },
    message("aaaaaaaa", null, { role: "user", content: prompt, timestamp: Date.now() }),
    message("bbbbbbbb", "aaaaaaaa", { ...answer, api: "x", provider: "x", model: "x", timestamp: Date.now() }),
    ...more.map((entry) => ({ id: "cccccccc", parentId: "bbbbbbbb", timestamp, ...entry })),
  ];
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

function put(folder, cwd, session) {
  const at = join(folder, `--${cwd.slice(1).replaceAll("/", "-")}--`);
  mkdirSync(at, { recursive: true });
  const path = join(at, `${new Date().toISOString().replace(/[:.]/g, "-")}_${session.id}.jsonl`);
  writeFileSync(path, sessionText({ cwd, ...session }));
  return path;
}

export async function run({ run, until, step, expect }) {
  const workspace = run.workspace();
  git(workspace, "init", "-q");
  git(workspace, "-c", "user.name=t", "-c", "user.email=t@example.com", "add", "-A");
  git(workspace, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "one");
  const rootCommit = execFileSync("git", ["rev-parse", "HEAD"], { cwd: workspace, encoding: "utf8" }).trim();
  const home = mkdtempSync(join(tmpdir(), "coppice-home-"));
  const own = join(home, ".coppice", "sessions");
  for (const [index, prompt] of ["Old garden", "Older garden"].entries()) {
    const repository = { type: "custom", customType: "coppice.repository", data: { rootCommit } };
    put(own, `/tmp/coppice-gone-${index}`, { id: `moved-${index}`, prompt, more: [repository] });
  }
  put(join(home, ".pi", "agent", "sessions"), workspace, { id: "from-pi", prompt: "A question to Pi" });
  const outside = mkdtempSync(join(tmpdir(), "coppice-outside-"));
  for (const [id, prompt] of [
    ["in-mouse", "Brought along"],
    ["in-keys", "Brought along too"],
  ]) {
    writeFileSync(join(outside, `${id}.jsonl`), sessionText({ id, cwd: "/elsewhere", prompt }));
  }
  const server = await run.modelServer();
  const settings = settingsFor("openai-responses", server.url, {
    "workbench.hover.delay": 60_000,
    "coppice.sessions.root": own,
  });
  const editor = await run.editor({ workspace, settings, home });
  const window = await run.window(editor, { width: 1500, height: 1100 });
  const trees = new Trees(window);
  const keys = new Keys(window, until);
  const ways = new Ways({ run, step, expect }, keys);
  const { page } = window;
  let chat;
  const row = (pattern) =>
    until(
      async () => (await trees.spoken()).find((label) => pattern.test(label ?? "")),
      `a row like ${pattern}`,
      15_000,
    );
  const at = async (pattern) => {
    await trees.settled();
    return page.locator(`.monaco-list-row[role=treeitem][aria-label=${JSON.stringify(await row(pattern))}]`).first();
  };
  const menu = async (pattern, item) => await trees.chooseFrom(await at(pattern), item);
  const header = page.locator(".pane-header").filter({ hasText: /^Sessions/ });
  const titleMenu = (item) =>
    window.choose(
      async () => {
        await header.hover();
        await header.getByRole("button", { name: /More Actions/ }).click();
      },
      item,
      { exact: true },
    );
  const dialog = (button) => page.getByRole("button", { name: button, exact: true }).last().click();
  const files = () => sessionFiles(home).length;
  const changes = async (by, act) => {
    const before = files();
    await act();
    await until(() => files() === before + by, `${by} file`, 15_000);
  };
  /** The path in the editor's own file dialog, which fills its field anew while it reads folders. */
  const path = async (value, confirm) => {
    const widget = page
      .locator(".quick-input-widget:visible")
      .filter({ has: page.getByRole("button", { name: "OK" }) });
    const field = widget.locator("input").locator("visible=true").first();
    await widget.locator(".monaco-list-row").first().waitFor({ timeout: 15_000 });
    await until(
      async () => {
        if (!(await widget.isVisible())) return true;
        await field.fill(value, { timeout: 1000 }).catch(() => {});
        await page.waitForTimeout(400);
        if ((await field.inputValue({ timeout: 500 }).catch(() => "")) === value) await confirm();
        await widget.waitFor({ state: "hidden", timeout: 1500 }).catch(() => {});
        return false;
      },
      "the file to be taken",
      25_000,
    );
  };
  const byEnter = () => keys.press("Enter");
  const byClick = () =>
    page.locator(".quick-input-widget:visible").getByRole("button", { name: "OK" }).click({ timeout: 2000 });

  await step("this workspace's sessions stand in the list, and those of Pi are marked", async () => {
    await window.command("Coppice: New Session");
    chat = await run.chat(window, editor);
    for (const text of ["Plan the garden", "Mow the lawn"]) {
      await chat.send(text);
      await chat.answered(text);
      if (text !== "Plan the garden") continue;
      await window.command("Coppice: New Session");
      await chat.said(text).waitFor({ state: "hidden" });
    }
    await window.command("Coppice: Focus on Sessions View");
    await row(/^A question to Pi, Pi, /);
    await row(/^Plan the garden, /);
    await row(/^Mow the lawn, in the chat/);
    expect(!(await trees.spoken()).some((label) => /Old garden/.test(label ?? "")), "nothing of another folder");
  });
  await ways.mouse("Open", async () => {
    await (await at(/^Plan the garden/)).click();
    await row(/^Plan the garden, in the chat/);
    await chat.said("Plan the garden").waitFor();
  });
  await ways.keyboard("Open", async () => {
    await keys.toRow(VIEW, /^Mow the lawn/);
    await keys.press("Enter");
    await row(/^Mow the lawn, in the chat/);
    await chat.said("Mow the lawn").waitFor();
  });
  await ways.mouse("Search", async () => {
    await header.hover();
    await header.getByRole("button", { name: "Search Sessions…" }).click();
    await (await window.quickInput("Search Sessions")).fill("About A question");
    await window.pick("About A question").click();
    await row(/^A question to Pi, in the chat, Pi/);
  });
  await ways.keyboard("Search", async () => {
    await keys.command("Coppice: Search Sessions…");
    await keys.pick("Search Sessions", "Plan the garden");
    await row(/^Plan the garden, in the chat/);
  });
  await ways.mouse("Rename", async () => {
    const element = await at(/^Mow the lawn/);
    await element.hover();
    await element.getByRole("button", { name: "Rename…" }).click();
    await keys.answer("Rename Session", "Lawn");
    await row(/^Lawn, /);
  });
  await ways.keyboard("Rename", async () => {
    await keys.toRow(VIEW, /^Plan the garden/);
    await keys.press("F2");
    await keys.answer("Rename Session", "Garden");
    await row(/^Garden, /);
    expect(!(await trees.spoken()).some((label) => /^Plan the garden/.test(label ?? "")), "the focused one renamed");
  });
  await ways.mouse("Delete", async () => {
    const element = await at(/^Lawn/);
    await element.hover();
    await changes(-1, async () => {
      await element.getByRole("button", { name: "Move to Trash…" }).click();
      await dialog("Move to Trash");
    });
  });
  await ways.mouse("Undo the deletion", async () => {
    await changes(1, () => dialog("Undo"));
    await row(/^Lawn, /);
  });
  await ways.keyboard("Delete", async () => {
    // The garden is in the chat and selected; the keys go to another row and delete that.
    await (await at(/^Garden/)).click();
    await keys.toRow(VIEW, /^Lawn/);
    await changes(-1, async () => {
      await keys.press("Delete");
      await page.getByText("Move the session “Lawn” to the trash?").first().waitFor();
      await keys.dialog("Move to Trash");
    });
    await row(/^Garden, in the chat/);
  });
  await ways.keyboard("Undo the deletion", async () => {
    await page.getByRole("button", { name: "Undo", exact: true }).last().waitFor();
    await keys.command("Notifications: Focus Notification Toast");
    await changes(1, () => keys.dialog("Undo"));
    await row(/^Lawn, /);
  });
  const forked = async (act) => {
    await changes(1, act);
    const label = await row(/, in the chat, .*fork/);
    const level = await page
      .locator(`.monaco-list-row[aria-label=${JSON.stringify(label)}]`)
      .first()
      .getAttribute("aria-level");
    expect(level === "3", `a row below that of its origin, not of level ${level}`);
  };
  await ways.mouse("Fork", () => forked(() => menu(/^Lawn/, "Fork")));
  await ways.keyboard("Fork", () =>
    forked(async () => {
      await trees.settled();
      await keys.toRow(VIEW, /^Garden/);
      await keys.menu("Fork");
    }),
  );
  await ways.mouse("Adopt a moved folder", async () => {
    await titleMenu("Adopt Sessions of a Moved Folder…");
    const field = await window.quickInput("Sessions of a Folder That Was Moved");
    // Both are ticked: one is left for the other way.
    await window
      .pick(/^Older garden/)
      .locator(".monaco-checkbox, input[type=checkbox], .quick-input-list-checkbox")
      .first()
      .click();
    await field.waitFor();
    await page.locator(".quick-input-widget:visible").getByRole("button", { name: "OK" }).click();
    await row(/^Old garden, /);
  });
  await ways.keyboard("Adopt a moved folder", async () => {
    await keys.command("Coppice: Adopt Sessions of a Moved Folder…");
    await keys.answer("Sessions of a Folder That Was Moved", "");
    await row(/^Older garden, /);
  });
  await ways.mouse("Import", () =>
    changes(1, async () => {
      await titleMenu("Import Session…");
      await path(join(outside, "in-mouse.jsonl"), byClick);
      await row(/^Brought along, .*imported/);
    }),
  );
  await ways.keyboard("Import", () =>
    changes(1, async () => {
      await keys.command("Coppice: Import Session…");
      await path(join(outside, "in-keys.jsonl"), byEnter);
      await row(/^Brought along too, .*imported/);
    }),
  );
  const FORMATS = [
    ["HTML", "html", (text) => /<html/i.test(text) && !/<script[^>]+src=|<link[^>]+href=/i.test(text)],
    ["Markdown", "md", () => true],
    ["JSONL", "jsonl", (text) => JSON.parse(text.split("\n")[0]).type === "session"],
  ];
  for (const [title, ending, holds] of FORMATS) {
    const written = async (by, act) => {
      const target = join(outside, `by-${by}.${ending}`);
      await act(target);
      await until(() => existsSync(target), "the file", 15_000);
      const text = readFileSync(target, "utf8");
      expect(text.includes("Plan the garden") && holds(text), `the session as ${title}`);
    };
    await ways.mouse(`Export ${title}`, () =>
      written("mouse", async (target) => {
        await menu(/^Garden/, "Export…");
        await window.quickInput("Export Session");
        await window.pick(title).click();
        await path(target, byClick);
      }),
    );
    await ways.keyboard(`Export ${title}`, () =>
      written("keys", async (target) => {
        await keys.toRow(VIEW, /^Garden/);
        await keys.menu("Export…");
        await keys.pick("Export Session", title);
        await path(target, byEnter);
      }),
    );
  }
  const asTab = async (act) => {
    await window.command("View: Close All Editors").catch(() => {});
    await act();
    await page.getByRole("tab", { name: /^Garden/ }).waitFor();
  };
  await ways.mouse("Open as an editor tab", () => asTab(() => menu(/^Garden/, "Open in Editor")));
  await ways.keyboard("Open as an editor tab", () =>
    asTab(async () => {
      await keys.toRow(VIEW, /^Garden/);
      await keys.menu("Open in Editor");
    }),
  );
  await run.shot(window, "sessions");
  await ways.complete(ACTIONS);
  rmSync(outside, { recursive: true, force: true });
}
