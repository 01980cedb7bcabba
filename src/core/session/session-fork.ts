// The lines of a new session file that begins as a copy of a branch or of a whole session (behaviours §2, Fork).
import { SessionError } from "../errors.ts";
import type { Ids } from "../ports.ts";
import type { Session } from "./session.ts";

export type ForkPoint =
  /** The whole file, every line as it is. */
  | { kind: "whole" }
  /** The path to what stands before a user message, whose text then goes to the composer. */
  | { kind: "before"; entryId: string }
  /** The path to an entry, itself included. */
  | { kind: "at"; entryId: string };

/**
 * Lines (without header and newline) of the path to a fork point. Labels are taken out of the chain and come back at its
 * end, as Pi does; what followed a label then follows the entry before it, and a kept boundary that was a label becomes
 * the entry after it. Lines whose parent stays are copied byte for byte. Throws `not_found` and `invalid_argument`.
 */
export async function forkLines(
  session: Session,
  point: Exclude<ForkPoint, { kind: "whole" }>,
  ids: Ids,
): Promise<string[]> {
  await session.ready();
  const node = session.node(point.entryId);
  if (node === undefined) throw new SessionError("not_found", `The session has no entry ${point.entryId}.`);
  if (point.kind === "before" && node.role !== "user") {
    throw new SessionError("invalid_argument", "Only a message of yours has a place before it to fork from.");
  }
  const path = session.pathTo(point.kind === "before" ? node.parentId : node.id);
  const lines: string[] = [];
  const kept = new Set<string>();
  const insteadOf = new Map<string, string>();
  let labels: string[] = [];
  let parentId: string | null = null;
  for (const id of path) {
    if (session.node(id)?.type === "label") {
      labels.push(id);
      continue;
    }
    const raw = await session.getRawLine(id);
    const value = raw === undefined ? undefined : parsed(raw);
    if (raw === undefined || value === undefined) continue; // Unreadable: the chain closes over it.
    for (const label of labels) insteadOf.set(label, id);
    labels = [];
    lines.push(rechained(raw, value, parentId, insteadOf));
    kept.add(id);
    parentId = id;
  }
  for (const id of kept) {
    const label = session.getLabel(id);
    if (label === undefined) continue;
    const labelId = ids.entryId((wanted) => kept.has(wanted) || session.node(wanted) !== undefined);
    const timestamp = new Date().toISOString();
    lines.push(JSON.stringify({ type: "label", id: labelId, parentId, timestamp, targetId: id, label }));
    parentId = labelId;
  }
  return lines;
}

function rechained(
  raw: string,
  value: Record<string, unknown>,
  parentId: string | null,
  insteadOf: ReadonlyMap<string, string>,
): string {
  const firstKept = value.firstKeptEntryId;
  const moved = typeof firstKept === "string" ? insteadOf.get(firstKept) : undefined;
  if ((value.parentId ?? null) === parentId && moved === undefined) return raw;
  const changed: Record<string, unknown> = { ...value, parentId };
  if (value.type === "compaction" && moved !== undefined) changed.firstKeptEntryId = moved;
  return JSON.stringify(changed);
}

function parsed(raw: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
