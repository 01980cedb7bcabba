// A session as Markdown, as a page of its own, or as clean lines (product.md, exportSession).
import { fenceFor } from "../fence.ts";
import type { AgentMessage, ImageContent } from "../llm/messages.ts";
import { branchSegments } from "./branch-segments.ts";
import type { SessionEntry } from "./entries.ts";
import { EXPORT_STYLE } from "./export-style.ts";
import { fileList, summaryParts } from "./readable-summary.ts";
import type { Session } from "./session.ts";
import { cleanName } from "./session-name.ts";

export type ExportFormat = "html" | "md" | "jsonl";

/** Entries that are read at a time. */
const BATCH = 200;
const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Yields the text piece by piece, so that a session of any size can be written. */
export async function* exportSession(session: Session, format: ExportFormat): AsyncGenerator<string> {
  await session.ready();
  if (format === "jsonl") yield* exportLines(session);
  else if (format === "md") yield* exportMarkdown(session);
  else yield* exportHtml(session);
}

/** One block of an entry, the same for every format. */
type Block =
  | { kind: "text"; text: string }
  | { kind: "fold"; title: string; text: string }
  | { kind: "files"; title: string; paths: readonly string[] }
  | { kind: "image"; image: ImageContent };

interface Shown {
  title: string;
  kind: "user" | "assistant" | "tool" | "summary" | "note";
  blocks: Block[];
}

/** How an entry is shown; undefined for what is bookkeeping. */
function show(entry: SessionEntry): Shown | undefined {
  switch (entry.type) {
    case "message":
      return showMessage(entry.message);
    case "compaction":
      return { title: "Compaction", kind: "summary", blocks: summaryBlocks(entry.summary) };
    case "branch_summary":
      if (entry.summary === "") return undefined;
      return { title: "Summary of a branch", kind: "summary", blocks: summaryBlocks(entry.summary) };
    case "custom_message":
      if (!entry.display) return undefined;
      return { title: entry.customType, kind: "note", blocks: contentBlocks(entry.content) };
    case "unknown":
      return { title: `Entry of type ${entry.originalType}`, kind: "note", blocks: [] };
    default:
      return undefined;
  }
}

/** The text of a summary and the files that it names. */
function summaryBlocks(summary: string): Block[] {
  const { text, readFiles, changedFiles } = summaryParts(summary);
  const files = (title: string, paths: readonly string[]): Block[] =>
    paths.length === 0 ? [] : [{ kind: "files", title, paths }];
  return [{ kind: "text", text }, ...files("Files read", readFiles), ...files("Files changed", changedFiles)];
}

function contentBlocks(content: unknown): Block[] {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return (content as { type: string; [key: string]: unknown }[]).flatMap((part): Block[] => {
    if (part.type === "text") return [{ kind: "text", text: String(part.text) }];
    if (part.type === "image") return [{ kind: "image", image: part as unknown as ImageContent }];
    if (part.type === "thinking") return [{ kind: "fold", title: "Thinking", text: String(part.thinking) }];
    if (part.type !== "toolCall") return [];
    return [{ kind: "fold", title: `Calls ${String(part.name)}`, text: JSON.stringify(part.arguments, null, 2) ?? "" }];
  });
}

function showMessage(message: AgentMessage): Shown | undefined {
  switch (message.role) {
    case "user":
      return { title: "You", kind: "user", blocks: contentBlocks(message.content) };
    case "assistant": {
      const blocks = contentBlocks(message.content);
      if (message.errorMessage !== undefined) blocks.push({ kind: "text", text: String(message.errorMessage) });
      return { title: message.model === "" ? "Assistant" : `Assistant (${message.model})`, kind: "assistant", blocks };
    }
    case "toolResult": {
      const failed = message.isError ? " failed" : "";
      return { title: `${message.toolName}${failed}`, kind: "tool", blocks: contentBlocks(message.content) };
    }
    case "bashExecution":
      return { title: `$ ${message.command}`, kind: "tool", blocks: [{ kind: "text", text: message.output }] };
    case "custom":
      return message.display === false
        ? undefined
        : { title: message.customType, kind: "note", blocks: contentBlocks(message.content) };
    case "branchSummary":
    case "compactionSummary":
      return { title: "Summary", kind: "summary", blocks: summaryBlocks(message.summary) };
    default:
      return undefined;
  }
}

async function* shownEntries(
  session: Session,
  ids: readonly string[],
): AsyncGenerator<{ entry: SessionEntry; shown: Shown }> {
  for (let from = 0; from < ids.length; from += BATCH) {
    for (const entry of await session.getEntries(ids.slice(from, from + BATCH))) {
      const shown = show(entry);
      if (shown !== undefined) yield { entry, shown };
    }
  }
}

function titleOf(session: Session): string {
  return session.getName() ?? `Session ${cleanName(session.id)}`;
}

/** The header and every readable entry on clean lines; parents that are lost or in a circle are set right. */
async function* exportLines(session: Session): AsyncGenerator<string> {
  yield `${JSON.stringify(session.header)}\n`;
  for (const id of session.allIds()) {
    const raw = await session.getRawLine(id);
    if (raw === undefined || (await session.getEntry(id)) === undefined) continue;
    const parentId = await readableParent(session, id);
    const value = parsed(raw);
    if (value !== undefined && (value.parentId ?? null) === parentId) yield `${raw.trim()}\n`;
    else if (value !== undefined) yield `${JSON.stringify({ ...value, parentId })}\n`;
    else yield `${JSON.stringify({ ...(await session.getEntry(id)), parentId })}\n`;
  }
}

/** The nearest entry above that can be read. */
async function readableParent(session: Session, id: string): Promise<string | null> {
  let parentId = session.node(id)?.parentId ?? null;
  while (parentId !== null) {
    const { type } = session.node(parentId)!;
    if (type !== "unknown" || (await session.getEntry(parentId)) !== undefined) return parentId;
    parentId = session.node(parentId)!.parentId;
  }
  return null;
}

function parsed(raw: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(raw.replace(/^\ufeff/, "")) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** A fence longer than any run of backticks inside. */
function fenced(text: string): string {
  const fence = fenceFor(text, 3);
  return `${fence}\n${text}\n${fence}`;
}

/** Where a branch parts, by the words that stand last there; nothing where it begins the session anew. */
async function partingWords(session: Session, from: string | null): Promise<string> {
  for (const id of [...session.pathTo(from)].reverse()) {
    const entry = await session.getEntry(id);
    const shown = entry && show(entry);
    if (shown === undefined) continue;
    const text = shown.blocks.find((block) => block.kind === "text")?.text ?? "";
    const words = [...plainWords(text)];
    const quoted = words.length === 0 ? "" : `: “${words.slice(0, 60).join("")}${words.length > 60 ? "…" : ""}”`;
    return `, from ${plainWords(shown.title)}${quoted}`;
  }
  return "";
}

/** The beginning of a text on one line, without what Markdown would read as marks. */
function plainWords(text: string): string {
  return cleanName(text.slice(0, 400)).replace(/[*_`<>[\]\\]/g, "");
}

async function* exportMarkdown(session: Session): AsyncGenerator<string> {
  yield `# ${titleOf(session)}\n`;
  for (const segment of branchSegments(session)) {
    // One that shows nothing, a position that was left at once, gets no heading.
    let heading = segment.active ? "" : `\n---\n\n*Another branch${await partingWords(session, segment.from)}*\n`;
    for await (const { entry, shown } of shownEntries(session, segment.ids)) {
      yield heading;
      heading = "";
      const label = session.getLabel(entry.id);
      yield `\n## ${cleanName(shown.title)}${label === undefined ? "" : ` · ${label}`}\n`;
      for (const block of shown.blocks) {
        if (block.kind === "image") yield `\n*(an image, ${cleanName(block.image.mimeType)})*\n`;
        else if (block.kind === "fold") yield `\n*${cleanName(block.title)}*\n\n${fenced(block.text)}\n`;
        else if (block.kind === "files") yield `\n${fileList(block.title, block.paths)}\n`;
        else if (shown.kind === "tool") yield `\n${fenced(block.text)}\n`;
        else yield `\n${block.text}\n`;
      }
    }
  }
}

function escapeHtml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  const clean = text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "\ufffd");
  return clean.replace(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`);
}

function htmlBlock(block: Block): string {
  if (block.kind === "text") return `<pre>${escapeHtml(block.text)}</pre>`;
  if (block.kind === "fold") {
    return `<details><summary>${escapeHtml(block.title)}</summary><pre>${escapeHtml(block.text)}</pre></details>`;
  }
  if (block.kind === "files") {
    const rows = block.paths.map((path) => `<li><code>${escapeHtml(path)}</code></li>`).join("");
    return `<h4>${escapeHtml(block.title)}</h4><ul>${rows}</ul>`;
  }
  const { data, mimeType } = block.image;
  if (!IMAGE_TYPES.has(mimeType) || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return "<p>(an image)</p>";
  return `<img alt="Image in the conversation" src="data:${mimeType};base64,${data}">`;
}

/** Everything from the session goes through `escapeHtml`; the page holds no script and may load nothing. */
async function* exportHtml(session: Session): AsyncGenerator<string> {
  const title = escapeHtml(titleOf(session));
  yield `<!doctype html>\n<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'">
<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${title}</title><style>${EXPORT_STYLE}</style></head><body><header><h1>${title}</h1>
<p>${escapeHtml(session.cwd)} · ${escapeHtml(session.header.timestamp)}</p></header>\n`;
  const segments = branchSegments(session);
  const anchors = new Map<string, number>();
  /** Branches that show nothing: a position that was left at once. */
  const silent = new Set<(typeof segments)[number]>();
  let count = 0;
  for (const segment of segments) for (const id of segment.ids) anchors.set(id, count++);
  yield '<nav aria-label="Branches"><h2>Branches</h2><ol>\n';
  for (const [i, segment] of segments.entries()) {
    let first: string | undefined;
    for await (const { shown } of shownEntries(session, segment.ids)) {
      const text = shown.blocks.find((block) => block.kind === "text");
      first = `${shown.title}: ${cleanName(text?.kind === "text" ? text.text.slice(0, 80) : "")}`;
      break;
    }
    if (first === undefined) {
      silent.add(segment);
      continue;
    }
    const current = segment.active ? ' aria-current="true"' : "";
    yield `<li><a href="#b${i}"${current}>${escapeHtml(first)}</a> <small>${segment.ids.length}</small></li>\n`;
  }
  yield "</ol></nav><main>\n";
  for (const [i, segment] of segments.entries()) {
    const from = segment.from === null ? undefined : anchors.get(segment.from);
    const back = from === undefined ? "" : ` <a href="#e${from}">grows from here</a>`;
    const heading = silent.has(segment) ? "" : `<h2>${segment.active ? "Active branch" : "Another branch"}${back}</h2>`;
    yield `<section id="b${i}">${heading}\n`;
    let anchor = 0;
    for await (const { entry, shown } of shownEntries(session, segment.ids)) {
      // Entries that show nothing are places to come back to as well.
      const own = anchors.get(entry.id)!;
      for (anchor = Math.max(anchor, anchors.get(segment.ids[0]!)!); anchor < own; anchor++)
        yield `<a id="e${anchor}"></a>`;
      anchor = own + 1;
      const label = session.getLabel(entry.id);
      const mark = label === undefined ? "" : ` <mark>${escapeHtml(label)}</mark>`;
      yield `<article id="e${own}" class="${shown.kind}"><h3>${escapeHtml(shown.title)}${mark}</h3>`;
      for (const block of shown.blocks) yield htmlBlock(block);
      yield "</article>\n";
    }
    yield "</section>\n";
  }
  yield "</main></body></html>\n";
}
