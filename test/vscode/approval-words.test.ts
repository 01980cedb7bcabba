import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";

vi.mock("vscode", () => import("../support/fake-vscode.ts"));

import * as vscode from "vscode";
import { APPROVAL_WORDS, approvalWords } from "../../src/vscode/approval-words.ts";

const root = join(import.meta.dirname, "..", "..");
const german = JSON.parse(readFileSync(join(root, "l10n/bundle.l10n.de.json"), "utf8")) as Record<string, string>;

afterEach(() => void vi.restoreAllMocks());

function inGerman(): void {
  vi.spyOn(vscode.l10n, "bundle", "get").mockReturnValue(german);
  const say = (text: string, ...values: unknown[]) =>
    german[text]!.replace(/\{(\d)\}/g, (_all, index) => String(values[Number(index)]));
  vi.spyOn(vscode.l10n, "t").mockImplementation(say as never);
}

/** What the tools say in a question: all texts of the lines that make one, with `{0}` for what is filled in. */
function said(): string[] {
  const folder = join(root, "src/core/tools");
  const found: string[] = [];
  for (const name of readdirSync(folder)) {
    for (const line of readFileSync(join(folder, name), "utf8").split("\n")) {
      if (!/warnings\.push\(|warnings: \[|title: ["`]|sessionScope: /.test(line)) continue;
      const texts = line.replace(/\$\{verb\}/g, "Edit").matchAll(/(?:"([^"]+)"|`([^`]+)`)/g);
      for (const [, plain, template] of texts) found.push((plain ?? template!).replace(/\$\{[^}]*\}/g, "{0}"));
    }
  }
  return found.filter((text) => /^(?:[A-Z{]|all |exactly )/.test(text) && text.includes(" "));
}

describe("the words of a question before a tool runs", () => {
  it("are in German, with what they are about", () => {
    inGerman();
    expect(approvalWords("Edit src/a b.ts")).toBe("src/a b.ts bearbeiten");
    expect(approvalWords("Run a command")).toBe("Einen Befehl ausführen");
    expect(approvalWords("Uses the network (curl)")).toBe("Benutzt das Netzwerk (curl)");
    expect(approvalWords("Files in .vscode can run code")).toBe("Dateien in .vscode können Code ausführen");
    expect(approvalWords("package.json can run code")).toBe("package.json kann Code ausführen");
    expect(approvalWords("Outside the workspace: /tmp/{0}\n/x")).toBe("Außerhalb des Arbeitsbereichs: /tmp/{0}\n/x");
  });

  it("stay as they are where there is no translation, or none of them fits", () => {
    expect(approvalWords("Edit a.ts")).toBe("Edit a.ts");
    inGerman();
    expect(approvalWords("Something that an extension asks")).toBe("Something that an extension asks");
  });

  it("are all known, and all in German", () => {
    const known = new Set(APPROVAL_WORDS);
    expect(said().length).toBeGreaterThan(15);
    expect(said().filter((text) => !known.has(text) && !known.has(text.replace(/\(\S+\)$/, "({0})")))).toEqual([]);
    expect(APPROVAL_WORDS.filter((words) => german[words] === undefined)).toEqual([]);
  });
});
