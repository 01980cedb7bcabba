// Skills and prompt templates of the person and of the trusted workspace, read again when something of them may have changed.
import * as vscode from "vscode";
import {
  expandTemplate,
  loadPromptTemplates,
  type PromptTemplate,
  parseSlashCommand,
} from "../core/harness/prompt-templates.ts";
import {
  expandSkill,
  type LoadedSkill,
  loadSkills,
  type ResourceFolder,
  type ResourceProblem,
  readResource,
} from "../core/harness/skills.ts";
import type { FileSystem } from "../core/ports.ts";
import type { ChatState } from "../protocol/view-state.ts";

const SKILL_PREFIX = "skill:";
/** Files are looked at again after this time; a keystroke must not walk folders (milliseconds). */
const FRESH_MS = 5000;

interface Resources {
  skills: readonly LoadedSkill[];
  templates: readonly PromptTemplate[];
}

const NOTHING: Resources = { skills: [], templates: [] };

export class WorkspaceResources implements vscode.Disposable {
  readonly #fs: FileSystem;
  readonly #home: string;
  readonly #report: (problem: ResourceProblem) => void;
  readonly #now: () => number;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #loaded = new Map<string, { at: number; resources: Promise<Resources> }>();
  readonly #latest = new Map<string, Resources>();
  readonly #reported = new Set<string>();
  /** The list of commands is another than before. */
  readonly onDidChange = this.#changed.event;

  constructor(fs: FileSystem, home: string, now: () => number, report: (problem: ResourceProblem) => void) {
    this.#fs = fs;
    this.#home = home;
    this.#now = now;
    this.#report = report;
  }

  /** What is known of a folder's resources; looked at again where that is some time ago, or trust was given. */
  load(cwd: string): Promise<Resources> {
    const trusted = vscode.workspace.isTrusted;
    const key = `${trusted ? "trusted" : "untrusted"}:${cwd}`;
    const known = this.#loaded.get(key);
    if (known !== undefined && this.#now() - known.at < FRESH_MS) return known.resources;
    const resources = this.#read(cwd, trusted).catch(() => NOTHING);
    this.#loaded.set(key, { at: this.#now(), resources });
    void resources.then((read) => {
      const before = this.#latest.get(cwd);
      this.#latest.set(cwd, read);
      if (JSON.stringify(before) !== JSON.stringify(read)) this.#changed.fire();
    });
    return resources;
  }

  /** Commands for the composer's list, as last read; reading goes on behind. */
  commands(cwd: string | undefined): ChatState["slashCommands"] {
    if (cwd === undefined) return [];
    void this.load(cwd);
    const { skills, templates } = this.#latest.get(cwd) ?? NOTHING;
    return [
      ...templates.map(({ name, description, argumentHint }) => ({
        name,
        description: argumentHint === "" ? description : `${argumentHint} – ${description}`,
      })),
      ...skills.map(({ name, description }) => ({ name: SKILL_PREFIX + name, description })),
    ];
  }

  /** Folders of skills: what a skill brings along may be read without a question. */
  async skillFolders(cwd: string): Promise<string[]> {
    return (await this.load(cwd)).skills.map((skill) => skill.folder);
  }

  /** The prompt that `/name args` or `/skill:name args` stands for; undefined where it names nothing. */
  async expand(text: string, cwd: string): Promise<string | undefined> {
    const command = parseSlashCommand(text);
    if (command === undefined) return undefined;
    const { skills, templates } = await this.load(cwd);
    if (command.name.startsWith(SKILL_PREFIX)) {
      const skill = skills.find(({ name }) => name === command.name.slice(SKILL_PREFIX.length));
      if (skill === undefined) return undefined;
      const file = await readResource(this.#fs, skill.path, undefined);
      return "text" in file ? expandSkill(skill, file.text, command.rest) : undefined;
    }
    const template = templates.find(({ name }) => name === command.name);
    return template && expandTemplate(template.body, command.rest);
  }

  async #read(cwd: string, trusted: boolean): Promise<Resources> {
    const own = (...names: string[]) => names.map((name): ResourceFolder => ({ path: `${this.#home}/${name}` }));
    const ofWorkspace = (...names: string[]) =>
      trusted ? names.map((name): ResourceFolder => ({ path: `${cwd}/${name}`, within: cwd })) : [];
    const { skills, problems } = await loadSkills(this.#fs, [
      ...own(".coppice/skills", ".pi/agent/skills", ".agents/skills"),
      ...ofWorkspace(".agents/skills", ".pi/skills", ".claude/skills"),
    ]);
    const read = await loadPromptTemplates(this.#fs, [
      ...own(".coppice/prompts", ".pi/agent/prompts"),
      ...ofWorkspace(".pi/prompts"),
    ]);
    for (const problem of [...problems, ...read.problems]) {
      const key = `${problem.path}: ${problem.reason}`;
      if (!this.#reported.has(key)) this.#report(problem);
      this.#reported.add(key);
    }
    return { skills, templates: read.templates };
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
