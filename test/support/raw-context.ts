// What the context of a place in a session file is, read from the raw lines without the code that is tested.

interface RawEntry {
  type: string;
  id: string;
  parentId: string | null;
  targetId?: string | null;
  firstKeptEntryId?: string;
  summary?: string;
  customType?: string;
  data?: { compactionId?: string; targetId?: string; pinned?: boolean };
  replacement?: { content: unknown } | null;
  message?: { role: string; content: unknown };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as { text?: string }[]).map((part) => part.text ?? "").join("");
}

/** The entries of a session file and what the model must be told at each of them. */
export class RawSession {
  readonly entries: readonly RawEntry[];
  readonly #byId: ReadonlyMap<string, RawEntry>;

  constructor(text: string) {
    const lines = text.split("\n").filter((line) => line !== "");
    this.entries = lines.slice(1).map((line) => JSON.parse(line) as RawEntry);
    this.#byId = new Map(this.entries.map((entry) => [entry.id, entry]));
  }

  path(id: string | null): RawEntry[] {
    const path: RawEntry[] = [];
    for (let at = id; at !== null; at = this.#byId.get(at)!.parentId) path.unshift(this.#byId.get(at)!);
    return path;
  }

  /** The compaction that was last undone on the way to an entry. */
  undone(id: string | null): string | undefined {
    return this.path(id).findLast((entry) => entry.customType === "coppice.compaction_undone")?.data?.compactionId;
  }

  /** The texts of what is pinned on the way to an entry. */
  pins(id: string | null): string[] {
    const pinned = new Map<string, string>();
    for (const { customType, data } of this.path(id)) {
      if (customType !== "coppice.pin") continue;
      const target = this.#byId.get(data!.targetId!)!;
      if (data!.pinned) pinned.set(target.id, target.message === undefined ? "" : textOf(target.message.content));
      else pinned.delete(target.id);
    }
    return [...pinned.values()];
  }

  /** One line a message: its role and its text; summaries as they stand in the file. */
  context(id: string | null): string[] {
    const path = this.path(id);
    const at = path.findLastIndex((entry) => entry.type === "compaction");
    const compaction = path[at];
    const from = path.findIndex((entry) => entry.id === compaction?.firstKeptEntryId);
    const kept = compaction === undefined ? path : [...(from < 0 ? [] : path.slice(from, at)), ...path.slice(at + 1)];
    const edits = new Map<string, RawEntry["replacement"]>();
    for (const entry of kept) if (entry.type === "context_edit") edits.set(entry.targetId!, entry.replacement);
    const said = kept.flatMap(({ id: own, type, message, summary }) => {
      const edit = edits.get(own);
      if (edit === null) return [];
      if (type === "branch_summary") return [`user: ${summary}`];
      if (message === undefined) return [];
      return [`${message.role}: ${textOf(edit === undefined ? message.content : edit.content)}`];
    });
    return compaction === undefined ? said : [`user: ${compaction.summary}`, ...said];
  }
}

/** A request in the same form; the words around a summary are left out. */
export function spoken(messages: readonly { role: string; content: unknown }[]): string[] {
  return messages.map(({ role, content }) => {
    const text = textOf(content);
    return `${role}: ${/^[^<]*\n<summary>\n([\s\S]*)\n<\/summary>$/.exec(text)?.[1] ?? text}`;
  });
}
