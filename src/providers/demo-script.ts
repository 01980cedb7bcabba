// What the demo answers: from the last prompt and the results since it, one step of a fixed script.
import { contentText, type Message, toolCallsOf } from "../core/llm/messages.ts";
import type { LlmContext } from "../core/llm/stream.ts";
import { friendlier, touched } from "./demo-edits.ts";
import { BRANCHES, COMPACTION, HELP, LONG, SIGNATURE } from "./demo-texts.ts";

export interface DemoReply {
  thinking?: string;
  text: string;
  calls?: { name: string; arguments: Record<string, unknown> }[];
}

/** A call since the last prompt, with its result where there is one. */
interface Step {
  name: string;
  arguments: Record<string, unknown>;
  result: string;
  failed: boolean;
}

interface Turn {
  prompt: string;
  steps: Step[];
  tools: ReadonlySet<string>;
}

/** The next reply. The same conversation always gets the same one. */
export function demoReply(context: LlmContext): DemoReply {
  const turn = turnOf(context);
  const reply = answer(turn);
  return {
    thinking: `The script looks for a rule that fits: "${short(turn.prompt, 60)}".`,
    ...reply,
    text: signed(reply),
  };
}

function signed(reply: DemoReply): string {
  const calling = (reply.calls?.length ?? 0) > 0;
  return calling ? `${reply.text} *(scripted)*` : `${reply.text}\n\n${SIGNATURE}`;
}

function turnOf(context: LlmContext): Turn {
  const isPrompt = (message: Message) =>
    message.role === "user" && !/^[^\n]*\n+<summary>/.test(contentText(message.content));
  const at = context.messages.findLastIndex(isPrompt);
  const prompt = contentText(context.messages[at]?.content ?? "").trim();
  const steps: Step[] = [];
  const byId = new Map<string, Step>();
  for (const message of context.messages.slice(at + 1)) {
    if (message.role === "assistant") {
      for (const call of toolCallsOf(message)) {
        const step = { name: call.name, arguments: call.arguments, result: "", failed: false };
        byId.set(call.id, step);
        steps.push(step);
      }
    } else if (message.role === "toolResult") {
      const step = byId.get(message.toolCallId);
      if (step !== undefined) Object.assign(step, { result: contentText(message.content), failed: message.isError });
    }
  }
  return { prompt, steps, tools: new Set(context.tools.map(({ name }) => name)) };
}

const RULES: readonly (readonly [RegExp, (turn: Turn) => DemoReply])[] = [
  [
    /\b(explain|what (is|are)|how do(es)?|tell me about)\b.*\b(branch|branches|tree|sibling)/i,
    () => ({ text: BRANCHES }),
  ],
  [
    /\b(explain|what (is|are)|how does|tell me about)\b.*\b(compact|compaction|summar|context)/i,
    () => ({ text: COMPACTION }),
  ],
  [/\b(long (story|answer|text)|fill the context|write a lot)\b/i, () => ({ text: LONG })],
  [/\bfriendl/i, makeFriendlier],
  [/\b(add|put|write)\b.*\bcomment\b/i, addComment],
  [/\b(create|write)\b.*\b(file|note|notes)\b/i, writeNote],
  [/\b(run|start|execute)\b.*\btests?\b|\btest it\b/i, (turn) => runCommand(turn, "npm test")],
  [/\b(run|execute)\b/i, (turn) => runCommand(turn, commandIn(turn.prompt))],
  [/\b(search|grep|look)\b.*\bfor\b|\bgrep\b|\bwhere is\b/i, searchText],
  [/\bfind\b|\bwhich files\b/i, findFiles],
  [/\b(what'?s|what is|list|show)\b.*\b(folder|files|directory|here|workspace|project)\b|^ls\b/i, listFolder],
  [/\b(read|open|show|look at|cat)\b/i, readFile],
];

function answer(turn: Turn): DemoReply {
  const rule = RULES.find(([pattern]) => pattern.test(turn.prompt));
  return rule === undefined ? { text: notScripted(turn.prompt) } : rule[1](turn);
}

function notScripted(prompt: string): string {
  if (/^(hi|hello|hey|good (morning|day|evening)|help|\?)\b/i.test(prompt) || prompt === "") return HELP;
  return `I have no script for “${short(prompt, 80)}”, and I cannot make one up: I am a demo, not an AI.\n\n${HELP}`;
}

/** Calls a tool, or says what came of it; `settled` writes the reply to a result. */
function withTool(
  turn: Turn,
  name: string,
  args: Record<string, unknown>,
  before: string,
  settled: (step: Step) => DemoReply,
): DemoReply {
  if (!turn.tools.has(name)) return { text: `For that I would call the tool \`${name}\`, which is switched off here.` };
  const step = turn.steps.findLast((candidate) => candidate.name === name);
  if (step === undefined) return { text: before, calls: [{ name, arguments: args }] };
  if (step.failed && /^The user denied\b/.test(step.result)) {
    return { text: `You denied \`${name}\`, so nothing was done. Ask me for something else.` };
  }
  if (step.failed && name !== "bash") {
    return {
      text: `\`${name}\` did not work out: ${short(step.result, 300).replace(/\.$/, "") || "no reason was given"}. I leave it at that.`,
    };
  }
  return settled(step);
}

function readFile(turn: Turn): DemoReply {
  const path = pathIn(turn.prompt) ?? "README.md";
  return withTool(turn, "read", { path }, `I will read \`${path}\`.`, ({ result }) => ({
    text: described(path, result),
  }));
}

function described(path: string, text: string): string {
  const lines = text.split("\n");
  const names = [...text.matchAll(/export (?:async )?(?:function|const|class|interface|type) (\w+)/g)].map(
    ([, name]) => `\`${name}\``,
  );
  const heading = /^#\s+(.+)$/m.exec(text)?.[1];
  const what =
    names.length > 0
      ? ` It exports ${names.join(", ")}.`
      : heading !== undefined
        ? ` Its heading is “${heading}”.`
        : "";
  const first = lines.find((line) => line.trim() !== "") ?? "";
  return `\`${path}\` has ${lines.length} lines.${what} It begins with:\n\n\`\`\`\n${short(first, 160)}\n\`\`\``;
}

function makeFriendlier(turn: Turn): DemoReply {
  const path = pathIn(turn.prompt) ?? "src/greeting.ts";
  return readThenEdit(
    turn,
    path,
    friendlier,
    `The greeting in \`${path}\` is friendlier now. Ask me to **run the tests** next; or go back to your message, change it, and send it again: that makes a branch.`,
  );
}

function addComment(turn: Turn): DemoReply {
  const path = pathIn(turn.prompt) ?? "src/todo.ts";
  return readThenEdit(turn, path, touched, `\`${path}\` begins with a comment now.`);
}

function readThenEdit(
  turn: Turn,
  path: string,
  edit: (text: string) => { oldText: string; newText: string } | undefined,
  finished: string,
): DemoReply {
  return withTool(turn, "read", { path }, `First I read \`${path}\`.`, ({ result }) => {
    const change = edit(result);
    if (change === undefined) return { text: `I found nothing in \`${path}\` that my script can change.` };
    const before = "Now I change it. You will see the difference before anything is written.";
    return withTool(turn, "edit", { path, edits: [change] }, before, () => ({ text: finished }));
  });
}

function writeNote(turn: Turn): DemoReply {
  const path = pathIn(turn.prompt) ?? "notes.md";
  const content = "# Notes\n\nWritten by the scripted demo of Coppice.\n";
  return withTool(turn, "write", { path, content }, `I will write \`${path}\`.`, () => ({
    text: `\`${path}\` is written.`,
  }));
}

function runCommand(turn: Turn, command: string | undefined): DemoReply {
  if (command === undefined) return { text: "Put the command between backticks, like this: run `node --version`." };
  return withTool(turn, "bash", { command }, `I will run \`${command}\`.`, ({ result, failed }) => {
    const last = result.trimEnd().split("\n").slice(-12).join("\n");
    const verdict = failed ? `\`${command}\` did not succeed` : `\`${command}\` ran`;
    return {
      text:
        last.trim() === ""
          ? `${verdict}, without output.`
          : `${verdict}. The end of its output:\n\n\`\`\`\n${short(last, 1_200)}\n\`\`\``,
    };
  });
}

function searchText(turn: Turn): DemoReply {
  const pattern = quoted(turn.prompt) ?? /\bfor\s+(\S+)/i.exec(turn.prompt)?.[1]?.replace(/[.?!,]+$/, "") ?? "greet";
  return withTool(turn, "grep", { pattern, literal: true }, `I will search for \`${pattern}\`.`, ({ result }) => {
    const hits = result.split("\n").filter((line) => line.trim() !== "");
    return {
      text: `The search for \`${pattern}\` gave ${hits.length} ${hits.length === 1 ? "line" : "lines"}:\n\n\`\`\`\n${short(hits.slice(0, 12).join("\n"), 1_200)}\n\`\`\``,
    };
  });
}

function findFiles(turn: Turn): DemoReply {
  const pattern = quoted(turn.prompt) ?? /\S*\*\S*/.exec(turn.prompt)?.[0] ?? "**/*.ts";
  return withTool(turn, "find", { pattern }, `I will look for files like \`${pattern}\`.`, ({ result }) => ({
    text: `Found:\n\n\`\`\`\n${short(result, 1_200)}\n\`\`\``,
  }));
}

function listFolder(turn: Turn): DemoReply {
  const path = pathIn(turn.prompt) ?? ".";
  return withTool(turn, "ls", { path }, "I will list the folder.", ({ result }) => ({
    text: `In \`${path}\`:\n\n\`\`\`\n${short(result, 1_200)}\n\`\`\`\n\nAsk me to **read src/greeting.ts** to go on.`,
  }));
}

function quoted(prompt: string): string | undefined {
  return /["“'`]([^"”'`\n]+)["”'`]/.exec(prompt)?.[1];
}

function commandIn(prompt: string): string | undefined {
  return /`([^`\n]+)`/.exec(prompt)?.[1];
}

function pathIn(prompt: string): string | undefined {
  return /(?:^|[\s`"'(])((?:[\w@.-]+\/)*[\w@-][\w@.-]*\.[a-z]\w{0,5})(?=$|[\s`"'),.?!:;])/i.exec(prompt)?.[1];
}

function short(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()}…`;
}
