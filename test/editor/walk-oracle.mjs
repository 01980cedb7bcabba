// What a session file says, read without Coppice's code: its tree, its position, and the words that a request must carry.
import { textOf } from "./session-files.mjs";

const ROLES = new Set(["user", "assistant", "toolResult"]);
/** Prompts, answers, summaries and what a tool read are told apart by such words. */
const TOKEN = /\b[QAS]\d+z\b/g;

export function tokensIn(text) {
  return [...new Set(text.match(TOKEN) ?? [])];
}

export class FileTree {
  /** @param {any[]} lines of a session file, header first */
  constructor(lines) {
    [this.header, ...this.entries] = lines;
    this.byId = new Map(this.entries.map((entry) => [entry.id, entry]));
  }

  /** Where whoever opens the file stands: the last line, or where it points. */
  get position() {
    const last = this.entries.at(-1);
    return last === undefined ? null : last.type === "leaf" ? last.targetId : last.id;
  }

  /** Entries from the root to this one. */
  path(id) {
    const path = [];
    for (let at = id; at !== null; at = this.byId.get(at).parentId) path.unshift(this.byId.get(at));
    return path;
  }

  /** Entries of the path that a reader sees as rows: results stand in the rows of their calls. */
  rows(id) {
    return this.path(id).filter((entry) =>
      entry.type === "message"
        ? entry.message.role !== "toolResult"
        : ["compaction", "branch_summary"].includes(entry.type),
    );
  }
  rowIds(id) {
    return this.rows(id).map((entry) => entry.id);
  }
  /** The last of these rows, or null. */
  rowAt(id) {
    return this.rowIds(id).at(-1) ?? null;
  }

  below(id) {
    return this.entries.filter((entry) => this.path(entry.id).some((one) => one.id === id));
  }

  /** The compaction that counts on a path. */
  compaction(path) {
    return path.findLast((entry) => entry.type === "compaction");
  }

  /** The compaction that was last undone on the way to an entry. */
  undone(id) {
    const marker = this.path(id).findLast((entry) => entry.customType === "coppice.compaction_undone");
    return marker?.data.compactionId;
  }

  /** Entries that the context of a path is made of, with what was changed by hand applied. */
  #contextEntries(path) {
    const compaction = this.compaction(path);
    const at = path.indexOf(compaction);
    const from = compaction === undefined ? 0 : path.findIndex((entry) => entry.id === compaction.firstKeptEntryId);
    const kept = compaction === undefined ? path : [...(from < 0 ? [] : path.slice(from, at)), ...path.slice(at + 1)];
    const edits = new Map();
    for (const entry of kept) if (entry.type === "context_edit") edits.set(entry.targetId, entry.replacement);
    const messages = kept
      .filter((entry) => entry.type === "branch_summary" || ROLES.has(entry.message?.role))
      .filter((entry) => edits.get(entry.id) !== null);
    return { compaction, messages };
  }

  /**
   * Messages that a request must carry for a path, as pieces: `{ role, text, calls, toolCallId, summary }`; consecutive
   * ones of the person stay apart here and may come joined.
   */
  pieces(id) {
    const { compaction, messages } = this.#contextEntries(this.path(id));
    const summary = (text) => ({ role: "user", text: `<summary>\n${text}\n</summary>`, summary: true });
    const pieces = messages.map((entry) => {
      if (entry.type === "branch_summary") return summary(entry.summary);
      const { message } = entry;
      if (message.role === "toolResult") return { role: "tool", text: textOf(message), toolCallId: message.toolCallId };
      const calls = message.role === "assistant" ? message.content.filter((part) => part.type === "toolCall") : [];
      return { role: message.role, text: textOf(message), calls };
    });
    return compaction === undefined ? pieces : [summary(compaction.summary), ...pieces];
  }

  /** Words that stand in the entries. */
  tokens(entries) {
    return tokensIn(JSON.stringify(entries));
  }
}

/** Text of the repair that stands in for nothing that was said: short, and without any of the walk's words. */
const isFiller = (text) => text.length < 100 && tokensIn(text).length === 0;

/** Messages with what a wire splits put together: words of a reply and its calls. */
function joined(sent) {
  const messages = [];
  for (const message of sent) {
    const last = messages.at(-1);
    if (message.role === "assistant" && last?.role === "assistant") {
      last.text += message.text;
      last.calls.push(...message.calls);
    } else messages.push({ ...message, calls: [...message.calls] });
  }
  return messages;
}

/**
 * What is wrong with a request for these pieces; empty where it carries exactly them.
 * @param {{ role: string, text: string, calls: { id: string, name: string }[], toolCallId?: string }[]} sent
 */
export function requestProblems(sent, pieces) {
  const results = new Map(pieces.filter((piece) => piece.role === "tool").map((piece) => [piece.toolCallId, piece]));
  const spoken = pieces.filter((piece) => piece.role !== "tool");
  /** Calls that wait for their result, by the id that the wire gave them. */
  const waiting = new Map();
  for (const message of joined(sent)) {
    const problems = [];
    if (message.role === "tool") {
      const call = waiting.get(message.toolCallId);
      const result = results.get(call?.id);
      waiting.delete(message.toolCallId);
      const right = result === undefined ? isFiller(message.text) : result.text === message.text;
      if (call === undefined || !right) problems.push(differs(result, message));
    } else if (message.role === "assistant") {
      const piece = spoken.shift();
      const names = (calls) => (calls ?? []).map((call) => call.name).join();
      const same = piece?.role === "assistant" && piece.text === message.text;
      if (!same || names(piece.calls) !== names(message.calls)) problems.push(differs(piece, message));
      for (const [index, call] of message.calls.entries()) waiting.set(call.id, piece?.calls?.[index]);
    } else problems.push(...userProblems(message.text, spoken));
    if (problems.length > 0) return problems;
  }
  if (waiting.size > 0) return [`calls without a result: ${[...waiting.keys()].join()}`];
  return spoken.length === 0 ? [] : [`not sent: ${spoken.map((piece) => piece.text.slice(0, 80)).join(" | ")}`];
}

function differs(piece, message) {
  return `wanted ${JSON.stringify(piece)?.slice(0, 300)}, sent ${JSON.stringify(message).slice(0, 300)}`;
}

/** One message of the person may hold several: takes those that it holds from the list. */
function userProblems(text, spoken) {
  let rest = text;
  while (spoken[0]?.role === "user") {
    const [piece] = spoken;
    const at = rest.indexOf(piece.text);
    // Before a summary stands a sentence that says what it is.
    const plain = !piece.summary && at === 0;
    const introduced = piece.summary && at >= 0 && tokensIn(rest.slice(0, at)).length === 0;
    if (!plain && !introduced) break;
    // Some wires put an empty line between the parts of a message.
    rest = rest.slice(at + piece.text.length).replace(/^\n+/, "");
    spoken.shift();
  }
  return rest === "" || (rest === text && isFiller(rest)) ? [] : [differs(spoken[0], { text: rest, whole: text })];
}
