// The tool `bash`: one command in a fresh shell.
import * as z from "zod/mini";
import type { AgentTool } from "../agent/agent-tool.ts";
import { contentHash, type ToolEnvironment } from "./tool-environment.ts";
import { cleanOutput, truncateTail } from "./truncate.ts";

const schema = z.object({
  command: z.string().check(z.minLength(1)),
  /** Seconds. */
  timeout: z.optional(z.number().check(z.minimum(1), z.maximum(3600))),
});

const DEFAULT_TIMEOUT_S = 120;
/** More than this is not kept anywhere; the command is stopped. */
const MAX_SPOOL_CHARS = 10 * 1024 * 1024;
const UPDATE_CHARS = 8 * 1024;

/** Makes the tool. */
export function createBashTool(env: ToolEnvironment): AgentTool<z.infer<typeof schema>> {
  const propose: AgentTool<z.infer<typeof schema>>["propose"] = async ({ command }) => {
    // The parser of commands is the largest part of all tools; it is loaded with the first command.
    const { analyzeCommand } = await import("./command-policy.ts");
    const analysis = analyzeCommand(command);
    return {
      kind: "command",
      title: "Run a command",
      command,
      warnings: analysis.warnings,
      hash: contentHash("command", env.cwd, command),
      // Only a plain command can be allowed again: anything the shell would interpret asks each time.
      ...(analysis.argv === undefined
        ? {}
        : { sessionScope: `exactly this command: ${command}`, sessionKey: `command:${command}` }),
    };
  };
  return {
    name: "bash",
    label: "Terminal",
    description: `Run a command with bash in the workspace folder. Returns the end of its output and the exit code. Times out after ${DEFAULT_TIMEOUT_S} s unless timeout (seconds) is given.`,
    schema,
    execution: "sequential",
    propose,
    async execute({ toolCallId, params, signal, onUpdate }) {
      const proposal = await propose(params, signal);
      if (proposal !== undefined) env.guard(toolCallId, proposal);
      if ((await env.fs.stat(env.cwd)) === undefined) throw new Error(`The folder ${env.cwd} does not exist any more.`);
      let output = "";
      let overflowed = false;
      let shownAt = 0;
      const stop = new AbortController();
      const onAbort = () => stop.abort();
      signal.addEventListener("abort", onAbort, { once: true });
      const result = await env.shell
        .run(params.command, {
          cwd: env.cwd,
          timeoutMs: (params.timeout ?? DEFAULT_TIMEOUT_S) * 1000,
          signal: stop.signal,
          onOutput: (text) => {
            if (output.length >= MAX_SPOOL_CHARS) {
              overflowed = true;
              stop.abort();
              return;
            }
            output += text;
            if (output.length - shownAt > UPDATE_CHARS || shownAt === 0) {
              shownAt = output.length;
              onUpdate({ content: [{ type: "text", text: cleanOutput(output.slice(-UPDATE_CHARS)) }] });
            }
          },
        })
        .finally(() => signal.removeEventListener("abort", onAbort));
      const cut = truncateTail(cleanOutput(output).replace(/\n+$/, ""));
      const notes: string[] = [];
      let fullOutputPath: string | undefined;
      if (cut.truncated) {
        fullOutputPath = `${await env.spoolDirectory()}/output-${toolCallId.replace(/[^\w-]/g, "_")}.txt`;
        await env.fs.writeFileAtomic(fullOutputPath, new TextEncoder().encode(output), 0o600);
        notes.push(`[The last ${cut.shownLines} of ${cut.totalLines} lines; all of it is in ${fullOutputPath}]`);
      }
      if (overflowed) notes.push("[Stopped: more than 10 MB of output]");
      else if (result.aborted) notes.push("[Aborted]");
      else if (result.timedOut) notes.push(`[Timed out after ${params.timeout ?? DEFAULT_TIMEOUT_S} s]`);
      else if (result.signal !== undefined) notes.push(`[Ended by ${result.signal}]`);
      else if (result.exitCode !== 0) notes.push(`[Exit code ${result.exitCode}]`);
      const text = [cut.text === "" ? "(no output)" : cut.text, ...notes].join("\n");
      return {
        content: [{ type: "text", text }],
        details: { exitCode: result.exitCode, timedOut: result.timedOut, aborted: result.aborted, fullOutputPath },
        isError: result.exitCode !== 0 || overflowed,
      };
    },
  };
}
