// Skills: folders with a SKILL.md that says what it is for; the model reads it when it wants it (Agent Skills format).
import type { FileSystem } from "../ports.ts";
import { oneLineText, parseFrontMatter, stripInvisible } from "./instruction-text.ts";
import type { Skill } from "./system-prompt.ts";

/** A folder of skills or prompt templates; earlier ones win where names are the same. */
export interface ResourceFolder {
  path: string;
  /** Links may not lead out of this folder; undefined: they may lead anywhere (the person's own folders). */
  within?: string;
}

export interface LoadedSkill extends Skill {
  /** The folder of the skill. */
  folder: string;
  /** False where only the person calls it (`disable-model-invocation`). */
  forModel: boolean;
}

export interface ResourceProblem {
  path: string;
  reason: string;
}

const MAX_FILE_BYTES = 256 * 1024;
const MAX_SKILLS = 100;
const MAX_DEPTH = 3;
const MAX_FOLDERS = 500;
const MAX_DESCRIPTION = 1024;
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** A regular text file of bearable size, or why not. Links that leave `within` are refused. */
export async function readResource(
  fs: FileSystem,
  path: string,
  within: string | undefined,
): Promise<{ text: string } | { reason: string }> {
  const stat = await fs.stat(path);
  if (stat === undefined || stat.kind !== "file") return { reason: "not a regular file" };
  if (stat.size > MAX_FILE_BYTES) return { reason: `larger than ${MAX_FILE_BYTES / 1024} KB` };
  if (within !== undefined) {
    const [real, root] = [await fs.realPath(path), await fs.realPath(within)];
    if (!real.replaceAll("\\", "/").startsWith(`${root.replaceAll("\\", "/")}/`)) {
      return { reason: "a link leads out of the workspace" };
    }
  }
  return { text: stripInvisible(new TextDecoder().decode(await fs.readFile(path))).text };
}

/** Files named SKILL.md below a folder, a few levels deep; a folder that holds one is not searched further. */
async function findSkillFiles(fs: FileSystem, start: string): Promise<string[]> {
  const found: string[] = [];
  let pending = [{ path: start, depth: 0 }];
  for (let visited = 0; pending.length > 0 && visited < MAX_FOLDERS; visited++) {
    const [{ path, depth }, ...rest] = pending as [{ path: string; depth: number }];
    pending = rest;
    const entries = await fs.list(path).catch(() => []);
    const file = depth === 0 ? undefined : entries.find((entry) => entry.name === "SKILL.md");
    if (file !== undefined) found.push(`${path}/SKILL.md`);
    else if (depth < MAX_DEPTH) {
      for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
        if (entry.kind !== "directory" && entry.kind !== "link") continue;
        if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
        pending.push({ path: `${path}/${entry.name}`, depth: depth + 1 });
      }
    }
  }
  return found;
}

/** The skills of some folders, and what is wrong with others. A skill without a description cannot be chosen and is left out. */
export async function loadSkills(
  fs: FileSystem,
  folders: readonly ResourceFolder[],
): Promise<{ skills: LoadedSkill[]; problems: ResourceProblem[] }> {
  const skills = new Map<string, LoadedSkill>();
  const problems: ResourceProblem[] = [];
  for (const { path: start, within } of folders) {
    for (const path of await findSkillFiles(fs, start)) {
      const problem = (reason: string) => problems.push({ path, reason });
      const file = await readResource(fs, path, within).catch((error) => ({ reason: String(error) }));
      if ("reason" in file) {
        problem(file.reason);
        continue;
      }
      const { values } = parseFrontMatter(file.text);
      const folder = path.slice(0, path.lastIndexOf("/"));
      const name = (values.get("name") ?? folder.slice(folder.lastIndexOf("/") + 1)).trim();
      const description = oneLineText(values.get("description") ?? "", MAX_DESCRIPTION);
      if (description === "") problem("no description");
      else if (!NAME.test(name) || name.length > 64) {
        problem("the name must be of lower-case letters, digits and single hyphens, at most 64");
      } else if (skills.has(name)) problem(`another skill is named ${name}: ${skills.get(name)!.path}`);
      else if (skills.size >= MAX_SKILLS) problem(`more than ${MAX_SKILLS} skills`);
      else {
        const forModel = values.get("disable-model-invocation")?.toLowerCase() !== "true";
        skills.set(name, { name, description, path, folder, forModel });
      }
    }
  }
  return { skills: [...skills.values()], problems };
}

/** The prompt that `/skill:name args` stands for. */
export function expandSkill(skill: LoadedSkill, text: string, args: string): string {
  const { body } = parseFrontMatter(text);
  const head = `<skill name="${skill.name}" folder="${skill.folder.replaceAll("\\", "/")}">\n${body.trim()}\n</skill>`;
  return args.trim() === "" ? head : `${head}\n\n${args.trim()}`;
}
