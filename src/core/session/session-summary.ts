// What a list shows of one session file, found by scanning prefixes (performance §3).
import { giveWay, isTurnOver } from "../give-way.ts";
import { contentText } from "../llm/messages.ts";
import type { FileSystem } from "../ports.ts";
import type { SessionEntry, SessionHeader } from "./entries.ts";
import { decodeLine } from "./jsonl-codec.ts";
import { findHeader } from "./jsonl-header.ts";
import { JsonlIndexer } from "./jsonl-index.ts";
import { readPlaces, readSlices } from "./jsonl-reader.ts";
import { cleanName } from "./session-name.ts";
import { SessionTree } from "./session-tree.ts";

/** Records the repository of a session, so that a moved folder finds it again (product.md, Session files). */
export const REPOSITORY_CUSTOM_TYPE = "coppice.repository";
/** Says that a session belongs to another folder now. */
export const ADOPTED_CUSTOM_TYPE = "coppice.adopted";
/** Most custom entries that are read for a list. */
const MAX_CUSTOM = 50;
const MAX_FIRST_MESSAGE = 200;

export interface RepositoryIdentity {
  remote?: string;
  rootCommit?: string;
}

export interface SessionSummary {
  path: string;
  id: string;
  cwd: string;
  /** ISO 8601, from the header. */
  created: string;
  /** Time of the newest user or assistant message, or of the header (epoch ms): renaming does not reorder. */
  activeMs: number;
  name?: string;
  firstMessage?: string;
  messages: number;
  /** Bytes. */
  size: number;
  version: number;
  parentSession?: string;
  imported?: boolean;
  repository?: RepositoryIdentity;
  adoptedCwd?: string;
  /** Why it cannot be opened; the other fields are then guesses. */
  problem?: string;
}

/** Scans one file. Throws what opening throws. */
export async function summarizeSession(fs: FileSystem, path: string): Promise<SessionSummary> {
  if (isTurnOver()) await giveWay();
  const file = await fs.open(path, "read");
  try {
    const { size } = await file.stat();
    const { header } = await findHeader(file, size, path);
    const tree = new SessionTree();
    const indexer = new JsonlIndexer(tree, { header: () => {}, bad: () => {} }, { size });
    await readSlices(file, 0, size, (bytes) => indexer.feed(bytes));
    indexer.end();
    const rows = rowsOfInterest(tree);
    const entries = new Map<number, SessionEntry>();
    const wanted = [rows.firstUser, rows.lastMessage, ...rows.custom].filter((row) => row >= 0);
    const places = wanted.map((row) => ({ offset: tree.offsetOf(row), length: tree.lengthOf(row) }));
    await readPlaces(file, places, (i, line) => {
      const decoded = line === undefined ? undefined : decodeLine(line);
      if (decoded?.kind === "entry") entries.set(wanted[i]!, decoded.entry);
    });
    return summary(path, size, header, tree, rows, entries);
  } finally {
    await file.close();
  }
}

interface Rows {
  firstUser: number;
  lastMessage: number;
  messages: number;
  custom: number[];
}

function rowsOfInterest(tree: SessionTree): Rows {
  const rows: Rows = { firstUser: -1, lastMessage: -1, messages: 0, custom: [] };
  for (let row = 0; row < tree.count; row++) {
    const type = tree.typeOf(row);
    if (type === "custom" && !tree.isMarker(row)) rows.custom.push(row);
    if (type !== "message") continue;
    rows.messages++;
    const role = tree.roleOf(row);
    if (role === "user" && rows.firstUser < 0) rows.firstUser = row;
    if (role === "user" || role === "assistant") rows.lastMessage = row;
  }
  rows.custom = [...rows.custom.slice(0, MAX_CUSTOM / 2), ...rows.custom.slice(MAX_CUSTOM / 2).slice(-MAX_CUSTOM / 2)];
  return rows;
}

function summary(
  path: string,
  size: number,
  header: SessionHeader,
  tree: SessionTree,
  rows: Rows,
  entries: ReadonlyMap<number, SessionEntry>,
): SessionSummary {
  const last = entries.get(rows.lastMessage);
  const first = entries.get(rows.firstUser);
  const activity = last?.type === "message" ? last.message.timestamp || Date.parse(last.timestamp) : Number.NaN;
  const result: SessionSummary = {
    path,
    id: header.id,
    cwd: header.cwd,
    created: header.timestamp,
    activeMs: activity || Date.parse(header.timestamp) || 0,
    messages: rows.messages,
    size,
    version: header.version,
  };
  if (tree.name !== undefined) result.name = tree.name;
  if (first?.type === "message" && first.message.role === "user") {
    result.firstMessage = cleanName(contentText(first.message.content).slice(0, MAX_FIRST_MESSAGE));
  }
  if (typeof header.parentSession === "string") result.parentSession = header.parentSession;
  if (header.metadata?.imported !== undefined) result.imported = true;
  for (const row of rows.custom) {
    const entry = entries.get(row);
    if (entry?.type !== "custom" || typeof entry.data !== "object" || entry.data === null) continue;
    const data = entry.data as { cwd?: unknown; remote?: unknown; rootCommit?: unknown };
    if (entry.customType === REPOSITORY_CUSTOM_TYPE) {
      result.repository = {
        ...(typeof data.remote === "string" ? { remote: data.remote } : {}),
        ...(typeof data.rootCommit === "string" ? { rootCommit: data.rootCommit } : {}),
      };
    } else if (entry.customType === ADOPTED_CUSTOM_TYPE && typeof data.cwd === "string") result.adoptedCwd = data.cwd;
  }
  return result;
}
