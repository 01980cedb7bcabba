// Brings the entries of format versions 1 and 2 to version 3, in memory (behaviours §2, Migration).
import type { SessionEntry, SessionHeader } from "./entries.ts";
import { CURRENT_SESSION_VERSION } from "./entries.ts";
import { decodeValue, isRecord, lineText } from "./jsonl-codec.ts";
import type { BadLine } from "./session.ts";

export interface Migrated {
  header: SessionHeader;
  entries: SessionEntry[];
  bad: BadLine[];
}

/**
 * Reads a whole file of version 1 or 2. Version 1 is a chain without ids; its compactions count lines (`firstKeptEntryIndex`,
 * the header being 0). Version 2 calls the role of custom messages `hookMessage`.
 */
export function migrateSession(
  bytes: Uint8Array,
  header: SessionHeader,
  newId: (taken: (id: string) => boolean) => string,
): Migrated {
  const bad: BadLine[] = [];
  const values: { line: number; value: Record<string, unknown> }[] = [];
  lineText(bytes)
    .text.split("\n")
    .forEach((text, i) => {
      const clean = text.replaceAll("\0", "").replace(/^\ufeff/, "");
      if (clean.trim() === "") return;
      try {
        const value: unknown = JSON.parse(clean);
        if (isRecord(value)) values.push({ line: i + 1, value });
        else bad.push({ line: i + 1, reason: "not an object" });
      } catch {
        bad.push({ line: i + 1, reason: "not valid JSON" });
      }
    });
  if (header.version < 2) chain(values, newId);
  const entries: SessionEntry[] = [];
  values.forEach(({ line, value }, i) => {
    if (value.type === "session") {
      if (i > 0) bad.push({ line, reason: "a second session header" });
      return;
    }
    if (value.type === "message" && isRecord(value.message) && value.message.role === "hookMessage") {
      value.message.role = "custom";
    }
    const decoded = decodeValue(value);
    if (decoded.kind === "entry") entries.push(decoded.entry);
    else if (decoded.kind === "bad") bad.push({ line, reason: decoded.reason });
  });
  bad.sort((a, b) => a.line - b.line);
  return { header: { ...header, version: CURRENT_SESSION_VERSION }, entries, bad };
}

/** Gives the entries of version 1 ids and parents in file order. */
function chain(
  values: readonly { value: Record<string, unknown> }[],
  newId: (taken: (id: string) => boolean) => string,
): void {
  const ids = new Set<string>();
  let parentId: string | null = null;
  for (const { value } of values) {
    if (value.type === "session") continue;
    const id = newId((wanted) => ids.has(wanted));
    ids.add(id);
    value.id = id;
    value.parentId = parentId;
    parentId = id;
  }
  for (const { value } of values) {
    if (value.type !== "compaction" || typeof value.firstKeptEntryIndex !== "number") continue;
    const kept = values[value.firstKeptEntryIndex]?.value;
    if (kept !== undefined && kept.type !== "session") value.firstKeptEntryId = kept.id;
    delete value.firstKeptEntryIndex;
  }
}
