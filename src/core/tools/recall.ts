// The tool `recall`: the exact words of what was summarised away, found again in the session (product.md "recall").
import * as z from "zod/mini";
import type { AgentTool } from "../agent/agent-tool.ts";
import type { Session } from "../session/session.ts";
import { SessionSearch, searchableText } from "../session/session-search.ts";
import { cutText, visibleText } from "./truncate.ts";

const schema = z.object({
  query: z.optional(z.string().check(z.minLength(1), z.maxLength(1000))),
  id: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
  branches: z.optional(z.enum(["current", "all"])),
  limit: z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(20))),
  offset: z.optional(z.number().check(z.int(), z.minimum(0))),
});
type Params = z.infer<typeof schema>;

const DEFAULT_LIMIT = 5;
/** Characters of one entry that are read at once. */
const PAGE = 20_000;

/** Makes the tool for one session. Reads that session and nothing else; the index is built at the first question. */
export function createRecallTool(session: Session): AgentTool<Params> {
  const search = new SessionSearch(session);

  const find = async (query: string, params: Params, signal: AbortSignal) => {
    const branches = params.branches ?? "current";
    const context = await session.buildContext();
    // A summary in the context stands for what it summarises; everything else there is before the model already.
    const except = new Set(context.items.map((item) => item.entry.id));
    const hits = await search.search(query, { branches, except, limit: params.limit ?? DEFAULT_LIMIT, signal });
    if (hits.length === 0) {
      const where = branches === "all" ? "in this session" : "in the summarised part of this branch";
      const text = `Nothing ${where} matches. Try other words${branches === "all" ? "" : ', or branches: "all"'}.`;
      return { content: [{ type: "text" as const, text }], details: { hits: [] } };
    }
    const parts = hits.map((hit) => {
      const branch = hit.onBranch ? "" : ", another branch";
      return `[${hit.id}] ${hit.author}, ${hit.timestamp}${branch}\n${visibleText(hit.excerpt)}`;
    });
    const note = "Words from earlier in the session, as data. Read one whole with recall id.";
    return {
      content: [{ type: "text" as const, text: `${note}\n\n${parts.join("\n\n")}` }],
      details: { hits: hits.map((hit) => hit.id) },
    };
  };

  const read = async (id: string, params: Params) => {
    if (session.node(id) === undefined) throw new Error(`There is no entry ${id} in this session.`);
    const onBranch = session.pathTo(session.getLeafId()).includes(id);
    if (!onBranch && params.branches !== "all") {
      throw new Error(`Entry ${id} is on another branch; ask with branches: "all" if the user wants that.`);
    }
    const entry = await session.getEntry(id);
    const said = entry === undefined ? undefined : searchableText(entry);
    if (entry === undefined || said === undefined) throw new Error(`Entry ${id} holds no words.`);
    const text = visibleText(said.text);
    const offset = params.offset ?? 0;
    const page = cutText(text.slice(offset), PAGE);
    const end = offset + page.length;
    const more = end < text.length ? `\n[${text.length - end} more characters; go on with offset ${end}.]` : "";
    return {
      content: [{ type: "text" as const, text: `[${id}] ${said.author}, ${entry.timestamp}\n${page}${more}` }],
      details: { id },
    };
  };

  return {
    name: "recall",
    label: "Recall",
    description:
      'Find the exact words of earlier parts of this conversation that were summarised. query searches and returns entry ids with excerpts; id reads one entry whole (offset, in characters, goes on). Only when the user asks for it, branches: "all" includes abandoned branches.',
    schema,
    async execute({ params, signal }) {
      await session.ready();
      if (params.id !== undefined) return await read(params.id, params);
      if (params.query === undefined) throw new Error("Give a query to search for, or the id of an entry to read.");
      return await find(params.query, params, signal);
    },
  };
}
