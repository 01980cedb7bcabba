// Prompt templates: Markdown files that `/name args` stands for, with places for the arguments.
import type { FileSystem } from "../ports.ts";
import { oneLineText, parseFrontMatter } from "./instruction-text.ts";
import { type ResourceFolder, type ResourceProblem, readResource } from "./skills.ts";

export interface PromptTemplate {
  name: string;
  description: string;
  /** What the arguments are, for the list of commands. */
  argumentHint: string;
  path: string;
  body: string;
}

const MAX_TEMPLATES = 200;
const MAX_DESCRIPTION = 120;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,63}$/u;
const PLACE = /\$(?:(\d{1,2})|@|ARGUMENTS\b|\{@:(\d{1,2})(?::(\d{1,2}))?\})/g;

/** The templates of some folders; of two with one name the first wins. */
export async function loadPromptTemplates(
  fs: FileSystem,
  folders: readonly ResourceFolder[],
): Promise<{ templates: PromptTemplate[]; problems: ResourceProblem[] }> {
  const templates = new Map<string, PromptTemplate>();
  const problems: ResourceProblem[] = [];
  for (const { path: folder, within } of folders) {
    const entries = await fs.list(folder).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (!entry.name.endsWith(".md") || entry.kind === "directory") continue;
      const path = `${folder}/${entry.name}`;
      const name = entry.name.slice(0, -3);
      const file = await readResource(fs, path, within).catch((error) => ({ reason: String(error) }));
      if ("reason" in file) problems.push({ path, reason: file.reason });
      else if (!NAME.test(name)) problems.push({ path, reason: "the file's name cannot be typed as a command" });
      else if (templates.has(name)) {
        problems.push({ path, reason: `another template is named ${name}: ${templates.get(name)!.path}` });
      } else if (templates.size < MAX_TEMPLATES) {
        const { values, body } = parseFrontMatter(file.text);
        const first = body.split("\n").find((line) => line.trim() !== "") ?? "";
        templates.set(name, {
          name,
          description: oneLineText(values.get("description") ?? first.replace(/^#+\s*/, ""), MAX_DESCRIPTION),
          argumentHint: oneLineText(values.get("argument-hint") ?? "", MAX_DESCRIPTION),
          path,
          body: body.trim(),
        });
      }
    }
  }
  return { templates: [...templates.values()], problems };
}

/** Words as a shell would take them: quotes hold together, a backslash is a letter. */
export function splitArguments(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (const character of text) {
    if (quote !== "") {
      if (character === quote) quote = "";
      else word += character;
    } else if (character === '"' || (character === "'" && word === undefined)) {
      quote = character;
      word ??= "";
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (word !== undefined) words.push(word);
  return words;
}

/**
 * The text of a template for given arguments: `$1`…, `$@` and `$ARGUMENTS` for all, `${@:2}` and `${@:2:1}` for some, counted
 * from 1. Arguments are put in as they are: what looks like a place in them stays text. Without any place they follow the body.
 */
export function expandTemplate(body: string, argumentText: string): string {
  const words = splitArguments(argumentText);
  let places = 0;
  const text = body.replace(PLACE, (place, number?: string, from?: string, count?: string) => {
    places++;
    if (number !== undefined) return number === "0" ? place : (words[Number(number) - 1] ?? "");
    if (from === undefined) return words.join(" ");
    const start = Math.max(0, Number(from) - 1);
    return words.slice(start, count === undefined ? undefined : start + Number(count)).join(" ");
  });
  return places > 0 || argumentText.trim() === "" ? text : `${text}\n\n${argumentText.trim()}`;
}

/** `/name rest` taken apart; undefined for any other text. */
export function parseSlashCommand(text: string): { name: string; rest: string } | undefined {
  const match = /^\/([^\s/]{1,80})(?:\s+([\s\S]*))?$/.exec(text.trimStart());
  return match === null ? undefined : { name: match[1]!, rest: match[2] ?? "" };
}
