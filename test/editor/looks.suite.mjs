// How the chat stands in the editor: widths, themes, accessibility, content policy, and no port of ours.
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { settingsFor } from "./wires.mjs";

export const name = "Widths, themes, accessibility and open ports";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const THEMES = {
  light: "Light 2026",
  dark: "Dark 2026",
  "high-contrast": "Default High Contrast",
  "high-contrast-light": "Default High Contrast Light",
};
const WIDTHS = [160, 300, 1200];

/** What `/proc` says; empty where the process or its file is gone meanwhile. */
function orEmpty(read) {
  try {
    return read();
  } catch {
    return "";
  }
}

/** Sockets that a process holds, as the kernel numbers them. */
function socketsOf(pid) {
  const files = orEmpty(() => readdirSync(`/proc/${pid}/fd`)) || [];
  return files.flatMap((fd) => {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(orEmpty(() => readlinkSync(`/proc/${pid}/fd/${fd}`))) ?? [];
    return inode === undefined ? [] : [inode];
  });
}

/** Ports that a process of the editor listens on: all of them are of one group. */
function listeningPorts(group) {
  // Behind the name, which may hold anything: state, parent, group.
  const groupOf = (pid) =>
    orEmpty(() => readFileSync(`/proc/${pid}/stat`, "utf8"))
      .split(") ")
      .at(-1)
      .split(" ")[2];
  const sockets = new Set(
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && Number(groupOf(name)) === group)
      .flatMap(socketsOf),
  );
  const ports = new Set();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of readFileSync(table, "utf8").split("\n").slice(1)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === "0A" && sockets.has(inode)) ports.add(Number.parseInt(local.split(":").at(-1), 16));
    }
  }
  return ports;
}

/** Serious problems that axe finds in the page of the chat. */
async function seriousProblems(frame) {
  // The policy of the page forbids inline scripts, so the checker is run as the driver's own expression.
  await frame.evaluate(axe);
  // The ground behind the page is the workbench's and cannot be seen from inside.
  await frame.evaluate(() => {
    document.body.style.background = "var(--vscode-sideBar-background)";
  });
  const { violations } = await frame.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`).join("\n")}`,
    );
}

/** Drags the edge of the secondary side bar until it is about this wide. */
async function widen(page, width) {
  const part = page.locator(".part.auxiliarybar");
  for (let attempt = 0; attempt < 4; attempt++) {
    const box = await part.boundingBox();
    if (Math.abs(box.width - width) < 6) return;
    const y = box.y + box.height / 2;
    // Gaps around the parts of the workbench move the sash a little away from the edge.
    const sashes = await page.locator(".monaco-sash.vertical:not(.disabled)").all();
    const boxes = (await Promise.all(sashes.map((sash) => sash.boundingBox()))).filter((sash) => sash !== null);
    const edge = boxes.sort((a, b) => Math.abs(a.x - box.x) - Math.abs(b.x - box.x))[0];
    const x = edge.x + edge.width / 2;
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - (width - box.width), y, { steps: 8 });
    await page.mouse.up();
  }
}

export async function run({ run, until, step, expect }) {
  const workspace = run.workspace();
  const server = await run.modelServer();
  const editor = await run.editor({ workspace, settings: settingsFor("anthropic-messages", server.url) });
  const page = await run.window(editor, { width: 1700, height: 950 });
  await page.page.waitForTimeout(1500);
  const before = listeningPorts(editor.pid);
  let chat;
  await step("a conversation with a question in it is shown", async () => {
    await page.command("Coppice: New Session");
    chat = await run.chat(page, editor);
    await chat.send("Read src/greeting.ts");
    await chat.answered("Read src/greeting.ts");
    await chat.send("Edit src/greeting.ts please");
    await chat.approval.waitFor({ timeout: 30_000 });
  });
  await step("Coppice has opened no port", async () => {
    expect(before.size > 0, "the editor's own port to be seen");
    const opened = [...listeningPorts(editor.pid)].filter((port) => !before.has(port));
    expect(opened.length === 0, `no new port, not ${opened.join(", ")}`);
  });
  for (const width of WIDTHS) {
    await step(`at ${width} px nothing scrolls sideways, and composer and Stop can be used`, async () => {
      await widen(page.page, width);
      await run.shot(page, `width-${width}`);
      const wide = await chat.frame.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(wide <= 0, `no sideways scrolling, not ${wide} px`);
      expect(await chat.composer.isVisible(), "the composer");
      const [stop, inner] = [
        await chat.button("Stop").evaluate((element) => element.getBoundingClientRect().right),
        await chat.frame.evaluate(() => window.innerWidth),
      ];
      expect(stop <= inner, `Stop inside the view: it ends at ${stop} of ${inner}`);
    });
  }
  await step("the diff of a proposed change goes with its question, unless it was kept", async () => {
    await widen(page.page, 400);
    const tab = page.page.getByRole("tab", { name: /\(proposed\)/ });
    const openDiff = async () => {
      await chat.approval.getByRole("button", { name: "Open diff" }).click();
      await tab.waitFor();
    };
    await openDiff();
    await run.shot(page, "proposed-diff");
    await chat.answer("Deny");
    await tab.waitFor({ state: "hidden" });
    await chat.answered("Edit src/greeting.ts please");
    await chat.send("Edit src/greeting.ts once more");
    await chat.approval.waitFor({ timeout: 30_000 });
    await openDiff();
    await page.command("View: Keep Editor");
    await chat.answer("Deny");
    await chat.answered("Edit src/greeting.ts once more");
    expect(await tab.isVisible(), "the tab that was kept");
    await page.command("View: Close All Editors");
  });
  await step("nothing broke the content policy", async () => {
    expect(page.problems.length === 0, page.problems.join("; "));
  });
  for (const [short, theme] of Object.entries(THEMES)) {
    await run.chain(() =>
      step(`${theme}: axe finds nothing serious`, async () => {
        const settings = `${editor.folders.user}/User/settings.json`;
        const now = JSON.parse(readFileSync(settings, "utf8"));
        writeFileSync(settings, JSON.stringify({ ...now, "workbench.colorTheme": theme }));
        await page.reload();
        chat = await run.chat(page, editor);
        const kind = () => chat.frame.locator("body").getAttribute("data-vscode-theme-kind");
        await until(async () => (await kind()) === `vscode-${short}`, `the page to be ${short}`, 20_000);
        const prompt = `Edit src/greeting.ts please (${short})`;
        await chat.send(prompt);
        await until(() => chat.approval.getByRole("button", { name: "Allow", exact: true }).isEnabled(), "a question");
        await run.shot(page, `theme-${short}`);
        const problems = await seriousProblems(chat.frame);
        await chat.answer("Deny");
        await chat.answered(prompt);
        expect(problems.length === 0, `none, not\n${problems.join("\n")}`);
        expect(page.problems.length === 0, page.problems.join("; "));
      }),
    );
  }
  await page.close();
  await editor.stop();
}
