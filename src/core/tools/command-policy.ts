// What a command is, as far as a parser can say: one plain program with its arguments, or something that must be read whole.
import { forEachChild, parse, type SyntaxNode } from "unbash";

export interface CommandAnalysis {
  /** The arguments, where the command is exactly one plain program call: nothing that a shell would interpret. */
  argv: string[] | undefined;
  /** Why it must be asked whatever is allowed. */
  warnings: string[];
}

const MAX_COMMANDS = 50;
const NETWORK = new Set(
  "curl wget nc ncat netcat socat ssh scp sftp rsync ftp telnet ping ping6 traceroute dig nslookup host whois http https aria2c".split(
    " ",
  ),
);
const PRIVILEGE = new Set(["sudo", "su", "doas", "pkexec", "runas"]);
/** Programs whose arguments are programs. */
const LAUNCHERS = new Set(
  "env xargs time nice ionice nohup setsid timeout stdbuf watch parallel busybox find flock script exec command builtin eval sh bash zsh dash ksh".split(
    " ",
  ),
);
/** Subcommands of git that talk to another machine. */
const GIT_NETWORK = new Set(["push", "pull", "fetch", "clone", "ls-remote", "remote", "submodule", "send-email"]);

/** Characters that a reader cannot see or tells apart wrongly. */
export function suspiciousCharacters(text: string): string[] {
  const found = new Set<string>();
  for (const char of text) {
    const code = char.codePointAt(0)!;
    const control = (code < 0x20 && char !== "\n" && char !== "\t") || (code >= 0x7f && code < 0xa0);
    if (control || /[\p{Cf}\p{Zl}\p{Zp}\p{Co}]/u.test(char) || (/\p{Zs}/u.test(char) && char !== " ")) {
      found.add(`U+${code.toString(16).toUpperCase().padStart(4, "0")}`);
    }
  }
  return [...found];
}

function baseName(word: string): string {
  return word
    .slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1)
    .toLowerCase()
    .replace(/\.exe$/, "");
}

/** The first word that is neither an option nor the value of `-C` or `-c`. */
function gitSubcommand(words: readonly string[]): string {
  const at = words.findIndex((word, index) => !word.startsWith("-") && !/^-[cC]$/.test(words[index - 1] ?? ""));
  return words[at] ?? "";
}

const GIT = "git with another repository";
const EXPANDED = new Set(["SimpleExpansion", "ParameterExpansion", "CommandExpansion", "ArithmeticExpansion"]);

interface Findings {
  programs: string[];
  /** Set where a program's name comes out of an expansion. */
  unknownProgram: boolean;
  commands: number;
  errors: number;
}

function collect(node: SyntaxNode, findings: Findings, depth: number): void {
  if (depth > 100) {
    findings.errors++;
    return;
  }
  if (node.type === "Script" && (node.errors?.length ?? 0) > 0) findings.errors++;
  if (node.type === "Command") {
    findings.commands++;
    const parts: readonly { type: string }[] = (node.name?.parts ?? []).flatMap((part) =>
      part.type === "DoubleQuoted" ? [...part.parts] : [part as { type: string }],
    );
    if (parts.some((part) => EXPANDED.has(part.type))) findings.unknownProgram = true;
    const values = [node.name, ...node.suffix].flatMap((word) => (word?.type === "Word" ? [word.value] : []));
    // The words of a launcher are candidates too, and what stands in one of them: `env A=1 curl`, `sh -c 'git push'`.
    const launches = LAUNCHERS.has(baseName(values[0] ?? ""));
    const words = launches ? values.flatMap((value) => value.split(/\s+/)) : values;
    for (const [index, word] of (launches ? words : words.slice(0, 1)).entries()) {
      const name = baseName(word);
      findings.programs.push(name);
      if (name === "git" && GIT_NETWORK.has(gitSubcommand(words.slice(index + 1)))) findings.programs.push(GIT);
    }
  }
  forEachChild(node, (child) => collect(child, findings, depth + 1));
}

function plainArguments(script: ReturnType<typeof parse>): string[] | undefined {
  if ((script.errors?.length ?? 0) > 0 || script.commands.length !== 1) return undefined;
  const [statement] = script.commands;
  if (statement?.type !== "Statement" || statement.background) return undefined;
  const command = statement.command;
  if (command.type !== "Command" || command.prefix.length > 0 || command.name === undefined) return undefined;
  const argv: string[] = [];
  for (const word of [command.name, ...command.suffix]) {
    if (word.type !== "Word" || /(?:^|[=:])~/.test(word.text)) return undefined;
    for (const part of word.parts ?? []) {
      if (part.type === "Literal" || part.type === "SingleQuoted") continue;
      if (part.type === "DoubleQuoted" && part.parts.every((inner) => inner.type === "Literal")) continue;
      return undefined;
    }
    argv.push(word.value);
  }
  return argv;
}

/**
 * The words of a command that holds nothing but words and quotes; undefined as soon as an unquoted character could mean
 * more. A second opinion: what the parser forgives without saying so must not pass for plain.
 */
function quotedWords(command: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < command.length; at++) {
    const char = command[at]!;
    const next = command[at + 1];
    if (quote === "'") {
      if (char === "'") quote = "";
      else word += char;
    } else if (char === "\\") {
      if (next === undefined) return undefined;
      at++;
      if (next === "\n") continue;
      const kept = quote === '"' && !'$`"\\'.includes(next);
      word = (word ?? "") + (kept ? char + next : next);
    } else if (quote === '"') {
      if (char === '"') quote = "";
      else if (char === "$" || char === "`") return undefined;
      else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= "";
    } else if (char === " " || char === "\t") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (";&|<>()$`*?[]\n\r".includes(char) || (char === "#" && word === undefined)) return undefined;
    else word = (word ?? "") + char;
  }
  if (quote !== "") return undefined;
  if (word !== undefined) words.push(word);
  return words;
}

/**
 * Analyses a command without running anything. What cannot be parsed has no `argv` and a warning: unknown means ask.
 * @param command the text that bash would be given.
 */
export function analyzeCommand(command: string): CommandAnalysis {
  const warnings: string[] = [];
  const suspicious = suspiciousCharacters(command);
  if (suspicious.length > 0) warnings.push(`Holds invisible or control characters: ${suspicious.join(", ")}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: everything beyond ASCII is what is looked for
  const foreign = /[^\u0000-\u007f]/.test(command);
  if (foreign && suspicious.length === 0) warnings.push("Holds characters beyond ASCII, which may look like others");
  if (command.length > 100_000)
    return { argv: undefined, warnings: [...warnings, "The command is too long to be analysed"] };
  let script: ReturnType<typeof parse>;
  const findings: Findings = { programs: [], unknownProgram: false, commands: 0, errors: 0 };
  try {
    script = parse(command);
    collect(script, findings, 0);
  } catch {
    return { argv: undefined, warnings: [...warnings, "The command could not be analysed"] };
  }
  if (findings.errors > 0) warnings.push("The command could not be analysed completely");
  if (findings.commands > MAX_COMMANDS) warnings.push(`Runs ${findings.commands} commands`);
  if (findings.unknownProgram) warnings.push("Which program runs is known only when it runs");
  const network = findings.programs.find((program) => NETWORK.has(program) || program === GIT);
  if (network !== undefined) warnings.push(`Uses the network (${network})`);
  else if (/\/dev\/(?:tcp|udp)\//.test(command)) warnings.push("Uses the network (/dev/tcp)");
  const privilege = findings.programs.find((program) => PRIVILEGE.has(program));
  if (privilege !== undefined) warnings.push(`Asks for more rights (${privilege})`);
  const argv = suspicious.length > 0 || foreign ? undefined : plainArguments(script);
  const words = argv && quotedWords(command.trim());
  const agreed = argv !== undefined && JSON.stringify(argv) === JSON.stringify(words);
  return { argv: agreed ? argv : undefined, warnings };
}
