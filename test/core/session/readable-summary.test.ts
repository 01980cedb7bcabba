import { describe, expect, it } from "vitest";
import { formatFileBlocks } from "../../../src/core/compaction/file-operations.ts";
import { exportSession } from "../../../src/core/session/export-session.ts";
import { readableSummary, summaryParts } from "../../../src/core/session/readable-summary.ts";
import { createMemorySession } from "../../../src/core/session/stored-session.ts";
import { countingClock, countingIds, user } from "../../support/session-builder.ts";

const words = { read: "Files read", changed: "Files changed" };
const blocks = formatFileBlocks({ readFiles: ["src/a.ts", "odd/<x>`y`.ts"], modifiedFiles: ["src/b.ts"] });

describe("a summary as people read it", () => {
  it("has its file blocks as lists behind the text, in code so that no path is markup", () => {
    expect(readableSummary(`## Goal\nShip it${blocks}`, words)).toBe(
      "## Goal\nShip it\n\n## Files read\n\n- `src/a.ts`\n- `` odd/<x>`y`.ts ``\n\n## Files changed\n\n- `src/b.ts`",
    );
  });

  it("keeps what stands around the blocks, and lists a file of two blocks once", () => {
    const two = `One${blocks}\n\nTwo${blocks}\n\nThree`;
    expect(summaryParts(two)).toEqual({
      text: "One\n\nTwo\n\nThree",
      readFiles: ["src/a.ts", "odd/<x>`y`.ts"],
      changedFiles: ["src/b.ts"],
    });
  });

  it("is untouched where it only speaks of the tags, leaves one open, or names no file", () => {
    for (const text of [
      "We print `<read-files>\na\n</read-files>` at the end.",
      "<read-files>\nsrc/a.ts",
      "Spaces   \n\n\n\nstay.\n",
      "\n<read-files>\n\n</read-files>",
    ]) {
      expect(readableSummary(text, words)).toBe(text);
    }
  });

  it("is read in one go whatever it is made of", async () => {
    const open = "<read-files>\nx\n".repeat(200_000);
    expect(readableSummary(open, words)).toBe(open);
    const closed = summaryParts(`${open}</read-files>\n</modified-files>`);
    expect([closed.readFiles, closed.text]).toEqual([["<read-files>", "x"].reverse(), "</modified-files>"]);
    const fenced = createMemorySession({ clock: countingClock(), ids: countingIds(), cwd: "/w" });
    await fenced.appendMessage({
      role: "bashExecution",
      command: "x",
      output: "`a".repeat(200_000),
      timestamp: 1,
    } as never);
    let exported = "";
    for await (const piece of exportSession(fenced, "md")) exported += piece;
    expect(exported).toContain("`a`a");
    const path = "`a".repeat(200_000);
    expect(readableSummary(`<read-files>\n${path}\n</read-files>`, words)).toBe(`## Files read\n\n- \`\` ${path} \`\``);
  });

  it("stands with lists in exports that people read, and byte for byte in the lines", async () => {
    const session = createMemorySession({ clock: countingClock(), ids: countingIds(), cwd: "/w" });
    const first = await session.appendMessage(user("Go"));
    await session.appendCompaction({ summary: `Short${blocks}`, firstKeptEntryId: first, tokensBefore: 1 });
    const written = async (format: "html" | "md" | "jsonl") => {
      let text = "";
      for await (const piece of exportSession(session, format)) text += piece;
      return text;
    };
    expect(await written("md")).toContain("\nShort\n\n## Files read\n\n- `src/a.ts`\n");
    expect(await written("html")).toContain(
      "<h4>Files read</h4><ul><li><code>src/a.ts</code></li><li><code>odd/&#60;x&#62;&#96;y&#96;.ts</code></li></ul>",
    );
    expect(await written("jsonl")).toContain(JSON.stringify(`Short${blocks}`));
  });
});
