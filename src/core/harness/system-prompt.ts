// The system prompt: short, and the same bytes for the whole session, so that caches and thinking stay valid.
import type { AgentTool } from "../agent/agent-tool.ts";

export interface InstructionFile {
  /** Path as shown, relative to the workspace where it is inside. */
  path: string;
  text: string;
}

export interface Skill {
  name: string;
  description: string;
  /** Path that the model reads when it wants the skill. */
  path: string;
}

export interface SystemPromptInput {
  cwd: string;
  tools: readonly AgentTool[];
  instructionFiles: readonly InstructionFile[];
  skills: readonly Skill[];
}

/** Forward slashes, so that no shell takes a path's backslashes for escapes. */
function promptPath(path: string): string {
  return path.replaceAll("\\", "/");
}

/** Builds the prompt. Nothing in it changes with time (providers §5.12): no date, no open files. */
export function buildSystemPrompt(input: SystemPromptInput): string {
  const names = new Set(input.tools.map((tool) => tool.name));
  const lines = [
    "You are Coppice, a coding agent in the user's editor. You work on the files of their workspace with the tools given.",
    "",
  ];
  const rules = ["Read a file before you change it."];
  if (names.has("edit")) rules.push("Change files with edit; use write only for new files or complete rewrites.");
  if (names.has("bash")) rules.push("Look at files with read, grep, find and ls rather than with bash.");
  rules.push(
    "The user may be asked before an edit or a command. If one is denied, do not try the same thing another way; ask.",
    "Be brief. Name files by their paths. Say what you did not do or could not check.",
  );
  lines.push(...rules.map((rule) => `- ${rule}`));
  if (names.has("recall")) {
    lines.push("- Earlier parts of the conversation may be summarised; recall finds their exact words.");
  }
  lines.push("", `Workspace: ${promptPath(input.cwd)}`);
  for (const file of input.instructionFiles) {
    lines.push("", `<instructions path="${promptPath(file.path)}">`, file.text.trim(), "</instructions>");
  }
  if (input.skills.length > 0) {
    lines.push("", "Skills: read the file of one before doing what it is for.");
    lines.push(...input.skills.map((skill) => `- ${skill.name}: ${skill.description} (${promptPath(skill.path)})`));
  }
  return lines.join("\n");
}
