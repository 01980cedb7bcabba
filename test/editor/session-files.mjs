// The session files of an editor's home, as the suites read them: always from the disk, never through the extension.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Paths of the session files below a home, oldest first (their names begin with the time). */
export function sessionFiles(home) {
  const folder = join(home, ".coppice", "sessions");
  try {
    return readdirSync(folder, { recursive: true })
      .filter((name) => name.endsWith(".jsonl"))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** The complete lines of a session file, header first. */
export function entriesOf(file) {
  const text = readFileSync(file, "utf8");
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** Text of a message's content. */
export function textOf(message) {
  if (typeof message.content === "string") return message.content;
  return message.content.map((block) => block.text ?? "").join("");
}

/** What is wrong with the chain of a session: parents that do not exist, ids that come twice, a bad header. */
export function chainProblems(entries) {
  const [header, ...rest] = entries;
  const problems = [];
  if (header?.type !== "session" || header.version !== 3) problems.push("the first line is no header of version 3");
  const ids = new Set();
  for (const entry of rest) {
    if (ids.has(entry.id)) problems.push(`the id ${entry.id} comes twice`);
    if (entry.parentId !== null && !ids.has(entry.parentId)) problems.push(`${entry.id} has no parent in the file`);
    if (Number.isNaN(Date.parse(entry.timestamp))) problems.push(`${entry.id} has no time`);
    ids.add(entry.id);
  }
  return problems;
}

/** Whether the newest message of the person with this text has its last answer on disk. */
export function isAnswered(entries, prompt) {
  const at = entries.findLastIndex(
    (entry) => entry.type === "message" && entry.message.role === "user" && textOf(entry.message).includes(prompt),
  );
  if (at < 0) return false;
  const last = entries.slice(at + 1).findLast((entry) => entry.type === "message");
  return last?.message.role === "assistant" && last.message.stopReason !== "toolUse";
}
