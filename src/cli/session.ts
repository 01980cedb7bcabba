// The command line over the core: a doctor for session files, usable over ssh (product.md).
import { writeSync } from "node:fs";
import { resolve } from "node:path";
import { SessionError } from "../core/errors.ts";
import { type ExportFormat, exportSession } from "../core/session/export-session.ts";
import { publishFile } from "../core/session/publish-file.ts";
import type { Session } from "../core/session/session.ts";
import { nodeFileSystem } from "../node/file-system.ts";
import { parseArguments, UsageError } from "./arguments.ts";
import { inspect } from "./inspect.ts";
import { openFile, repoAt } from "./open-file.ts";
import { requestMessages } from "./request.ts";

const USAGE = `Usage:
  session.mjs inspect FILE [--json] [--keep-recent N] [--reserve N] [--window N]
  session.mjs request FILE --api anthropic|openai-responses|openai-chat [--json]
  session.mjs check FILE [--repair] [--json]
  session.mjs export FILE --format html|md|jsonl [--out FILE]
  session.mjs list ROOT [--json] [--cwd DIR]
`;

function print(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EPIPE") process.exit(0);
      if (code !== "EAGAIN") throw error;
    }
  }
}
const printJson = (value: unknown) => print(`${JSON.stringify(value, null, 2)}\n`);

async function check(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, { flags: ["repair", "json"], positional: 1 });
  const session = await openFile(parsed.positional[0]!);
  await session.ready();
  const bad = [...session.badLines()].sort((a, b) => a.line - b.line);
  const orphans = await orphanReasons(session);
  const damage = [...bad, ...orphans];
  let repaired: string | undefined;
  if (parsed.options.has("repair") && damage.length > 0) repaired = await repair(session);
  if (parsed.options.has("json"))
    printJson({ entries: session.size(), bad, orphans, ...(repaired ? { repaired } : {}) });
  else {
    for (const { line, reason } of damage) print(line > 0 ? `line ${line}: ${reason}\n` : `${reason}\n`);
    if (session.readOnlyReason !== undefined) print(`${session.readOnlyReason}\n`);
    print(damage.length === 0 ? `no damage, ${session.size()} entries\n` : `${damage.length} places of damage\n`);
    if (repaired !== undefined) print(`a repaired copy is in ${repaired}\n`);
  }
  await session.close();
  return damage.length === 0 ? 0 : 1;
}

/** Roots that name a parent: it is not there, or following it leads round in a ring. */
async function orphanReasons(session: Session): Promise<{ line: number; reason: string }[]> {
  const found: { line: number; reason: string }[] = [];
  for (const id of session.childrenOf(null)) {
    const entry = await session.getEntry(id);
    if (entry === undefined || entry.parentId === null) continue;
    const why =
      session.node(entry.parentId) === undefined ? "which is not in the file" : "which does not lead to a root";
    found.push({ line: 0, reason: `entry ${id} follows ${entry.parentId}, ${why}` });
  }
  return found;
}

/** Writes beside the original, which is only read. */
async function repair(session: Session): Promise<string> {
  const stem = session.file!.replace(/\.jsonl$/, "");
  let target = `${stem}.repaired.jsonl`;
  for (let n = 2; (await nodeFileSystem.stat(target)) !== undefined; n++) target = `${stem}.repaired-${n}.jsonl`;
  await writeExport(session, "jsonl", target);
  return target;
}

async function writeExport(session: Session, format: ExportFormat, target: string): Promise<void> {
  await publishFile(nodeFileSystem, target, async (append) => {
    for await (const piece of exportSession(session, format)) await append(Buffer.from(piece));
  });
}

async function exportFile(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, { values: ["format", "out"], positional: 1 });
  const format = parsed.options.get("format");
  if (format !== "html" && format !== "md" && format !== "jsonl") throw new UsageError("--format is html, md or jsonl");
  const session = await openFile(parsed.positional[0]!);
  const out = parsed.options.get("out");
  if (typeof out === "string") await writeExport(session, format, resolve(out));
  else for await (const piece of exportSession(session, format)) print(piece);
  await session.close();
  return 0;
}

async function list(args: readonly string[]): Promise<number> {
  const parsed = parseArguments(args, { flags: ["json"], values: ["cwd"], positional: 1 });
  const cwd = parsed.options.get("cwd");
  const sessions = await repoAt(resolve(parsed.positional[0]!)).list(typeof cwd === "string" ? { cwd } : {});
  if (parsed.options.has("json")) printJson(sessions);
  else {
    for (const item of sessions) {
      const title = item.problem ?? item.name ?? item.firstMessage ?? "";
      print(`${new Date(item.activeMs).toISOString()}  ${item.id}  ${item.messages}  ${title}\n`);
    }
  }
  return 0;
}

async function run(command: string | undefined, args: readonly string[]): Promise<number> {
  switch (command) {
    case "inspect":
      printJson(
        await inspect(
          parseArguments(args, { flags: ["json"], values: ["keep-recent", "reserve", "window"], positional: 1 }),
        ),
      );
      return 0;
    case "request":
      printJson(await requestMessages(parseArguments(args, { flags: ["json"], values: ["api"], positional: 1 })));
      return 0;
    case "check":
      return check(args);
    case "export":
      return exportFile(args);
    case "list":
      return list(args);
    case "help":
    case "--help":
      print(USAGE);
      return 0;
    default:
      throw new UsageError(command === undefined ? "no command" : `unknown command ${command}`);
  }
}

try {
  process.exitCode = await run(process.argv[2], process.argv.slice(3));
} catch (error) {
  process.exitCode = 2;
  if (error instanceof UsageError) process.stderr.write(`${error.message}\n${USAGE}`);
  else if (error instanceof SessionError) process.stderr.write(`${error.message}\n`);
  else process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
}
