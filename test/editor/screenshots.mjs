// Takes the screenshots of the README in the real editor: `node test/editor/screenshots.mjs`.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EditorPage, launchBrowser } from "./browser.mjs";
import { buildPackage, copySampleWorkspace, root } from "./prepare.mjs";
import { startEditor } from "./server.mjs";

const vsix = buildPackage();
const target = join(root, "media", "screenshots");
const browser = await launchBrowser(console.log);

async function drag(page, from, to) {
  await page.mouse.move(from, 500);
  await page.mouse.down();
  await page.mouse.move(to, 500, { steps: 8 });
  await page.mouse.up();
}

for (const [name, theme] of [
  ["dark", "Default Dark Modern"],
  ["light", "Default Light Modern"],
]) {
  const workspace = copySampleWorkspace(join(mkdtempSync(join(tmpdir(), "coppice-shots-")), "garden"));
  const editor = await startEditor({
    vsix,
    workspace,
    settings: { "workbench.colorTheme": theme, "window.commandCenter": false, "window.title": "garden" },
  });
  const view = await EditorPage.open(browser, editor.url, { width: 1360, height: 820 });
  const { page } = view;
  const shot = (what) => view.screenshot(join(target, `${what}-${name}.jpg`));
  try {
    await view.command("Coppice: Open the Sample Session");
    await view.command("Coppice: Focus on Session Tree View");
    const chat = await view.chat();
    await page.waitForTimeout(2500);
    await drag(page, 1062, 900);
    await drag(page, 348, 420);
    await page.mouse.move(660, 60);
    await chat.getByRole("article", { name: "Compaction", exact: true }).last().waitFor();
    await page.waitForTimeout(800);
    await shot("chat-and-tree");
    await view.command("Coppice: Inspect Context");
    await page.waitForTimeout(2500);
    await shot("inspector");
    await view.command("View: Close All Editors").catch(() => {});
    await view.command("Coppice: Compare with Current…");
    const row = page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "Try the first" }).first();
    const input = page.locator(".quick-input-widget:visible input").first();
    await input.waitFor();
    await page.locator(".quick-input-list .monaco-list-row").nth(3).waitFor();
    await input.fill("Try the first");
    await row.click();
    await page.waitForTimeout(2500);
    await shot("comparison");
    await view.command("View: Close All Editors").catch(() => {});
    if (name === "dark") {
      await view.command("View: Toggle Primary Side Bar Visibility");
      await view.command("Coppice: Branch Map");
      await page.mouse.move(660, 60);
      await page.waitForTimeout(2500);
      // The tab alone: the package holds every picture of the README.
      const clip = await page.locator(".part.editor").boundingBox();
      await page.screenshot({ path: join(target, "branch-map-dark.jpg"), type: "jpeg", quality: 78, clip });
      await view.command("View: Toggle Primary Side Bar Visibility");
      await view.command("View: Close All Editors").catch(() => {});
    }
    await view.command("Coppice: New Session");
    await chat.getByRole("button", { name: /Try the demo/ }).click();
    await chat.getByText("What shall we grow?").waitFor();
    const box = chat.getByRole("textbox", { name: "Message Coppice" });
    await box.fill("Make the greeting friendlier");
    await box.press("Enter");
    await chat.getByRole("group", { name: "Approval" }).waitFor({ timeout: 20_000 });
    await page.waitForTimeout(700);
    await shot("approval");
    await chat.getByRole("button", { name: "Deny", exact: true }).click();
    await page.waitForTimeout(2500);
    await shot("sessions");
  } catch (error) {
    await view.screenshot(join(root, "test-results", "screenshots-failure.png"));
    throw error;
  } finally {
    await view.close();
    await editor.stop();
  }
}
await browser.close();
