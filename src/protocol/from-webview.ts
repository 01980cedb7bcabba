// What the page may ask of the host. The host validates every message; what does not fit is logged and dropped.
import * as z from "zod/mini";

const id = z.string().check(z.minLength(1), z.maxLength(200));
const text = z.string().check(z.maxLength(4_000_000));

/** How a branch is left; `edit`: the summary is to be edited before it is attached, and nothing moves until then. */
const leaving = z.object({
  summary: z.enum(["none", "standard", "custom"]),
  instructions: text,
  edit: z.optional(z.boolean()),
});

export const fromWebviewSchema = z.discriminatedUnion("type", [
  /** The page has started (again) or has seen a gap: it needs a snapshot. */
  z.object({ type: z.literal("view.ready") }),
  z.object({
    type: z.literal("prompt.submit"),
    /** Made by the page; comes back in `prompt.accepted` or `prompt.refused`. */
    submitId: id,
    text,
    /** While a run is on: into the running turn, or after it. Ignored when idle. */
    mode: z.enum(["steer", "followUp"]),
    images: z
      .array(z.object({ mimeType: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]), data: text }))
      .check(z.maxLength(20)),
    /** Sent while an earlier point is shown: how the branch being left is summarised. Absent otherwise. */
    leaving: z.optional(leaving),
  }),
  z.object({ type: z.literal("run.stop") }),
  z.object({ type: z.literal("run.retry") }),
  z.object({ type: z.literal("queue.remove"), id }),
  /** What `composer.add` brought has left the composer: it was sent, or the person took it out. */
  z.object({ type: z.literal("composer.done"), id }),
  /** The draft of a session ("" before it has a message) is another; `given`: what `composer.add` has put into it. */
  z.object({
    type: z.literal("draft.changed"),
    sessionId: z.string().check(z.maxLength(200)),
    text,
    revision: z.number(),
    given: z.array(id).check(z.maxLength(100)),
  }),
  z.object({ type: z.literal("approval.answer"), nonce: id, decision: z.enum(["allow", "deny", "allowForSession"]) }),
  /** Opens the proposed change of an approval, or the change of a finished tool, in the editor's diff. */
  z.object({ type: z.literal("diff.open"), callId: id }),
  /** Opens the whole output of a tool in an editor. */
  z.object({ type: z.literal("output.open"), callId: id }),
  z.object({ type: z.literal("approvals.setMode"), mode: z.enum(["ask", "edits", "all"]) }),
  z.object({ type: z.literal("page.older"), beforeId: id }),
  /** Shows the branch through this entry; writes nothing. */
  z.object({ type: z.literal("branch.show"), entryId: id }),
  /** Compares what is shown with the position's branch, in a tab. */
  z.object({ type: z.literal("branch.compare") }),
  /** Back to the position. */
  z.object({ type: z.literal("branch.leave") }),
  /** "Continue from here": the position moves to what is shown. */
  z.extend(leaving, { type: z.literal("branch.continue") }),
  /** Edit and resend: go to the parent of this message, with its text in the composer. */
  z.object({ type: z.literal("message.edit"), entryId: id }),
  z.object({ type: z.literal("entry.copy"), entryId: id }),
  z.object({ type: z.literal("entry.fork"), entryId: id }),
  z.object({ type: z.literal("entry.label"), entryId: id }),
  z.object({ type: z.literal("compact.start"), instructions: text }),
  z.object({ type: z.literal("compact.undo"), entryId: id }),
  /** Closes the preview of a compaction. */
  z.object({ type: z.literal("preview.close") }),
  /** Opens the summary of a compaction or branch as a read-only document. */
  z.object({ type: z.literal("summary.open"), entryId: id }),
  z.object({ type: z.literal("progress.cancel") }),
  z.object({ type: z.literal("notice.action"), itemId: id, actionId: id }),
  z.object({ type: z.literal("setup.choose"), choiceId: id }),
  z.object({ type: z.literal("model.pick") }),
  z.object({ type: z.literal("thinking.pick") }),
  z.object({ type: z.literal("session.new") }),
  z.object({ type: z.literal("session.pick") }),
  z.object({ type: z.literal("context.inspect") }),
  z.object({ type: z.literal("attachment.remove"), id }),
  z.object({ type: z.literal("attachment.add") }),
  /** A file dropped on or named in the transcript; opened only inside the workspace. */
  z.object({ type: z.literal("file.open"), path: text, line: z.optional(z.number()) }),
  z.object({ type: z.literal("files.dropped"), uris: z.array(text).check(z.maxLength(50)) }),
  z.object({ type: z.literal("link.open"), url: text }),
  z.object({ type: z.literal("code.copy"), text }),
  z.object({ type: z.literal("code.insert"), text }),
  z.object({ type: z.literal("log.show") }),
  /** Opens the editor's page on which a workspace is trusted. */
  z.object({ type: z.literal("trust.manage") }),
  /** For the context key `coppice.chatFocused`. */
  z.object({ type: z.literal("view.focus"), focused: z.boolean() }),
]);

export type FromWebview = z.infer<typeof fromWebviewSchema>;
