// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what bash would expand stands here as text
import { describe, expect, it } from "vitest";
import { analyzeCommand } from "../../../src/core/tools/command-policy.ts";

const PLAIN: [string, string[]][] = [
  ["ls", ["ls"]],
  ["ls -la src", ["ls", "-la", "src"]],
  ["npm run test -- --watch=false", ["npm", "run", "test", "--", "--watch=false"]],
  ["git log --oneline -n 5", ["git", "log", "--oneline", "-n", "5"]],
  ["git commit -m 'a message'", ["git", "commit", "-m", "a message"]],
  ['echo "a b" c', ["echo", "a b", "c"]],
  ["echo a\\ b", ["echo", "a b"]],
  ["echo 'it'\\''s'", ["echo", "it's"]],
  ["echo '$(id) `id` ; | & > < * ? ~'", ["echo", "$(id) `id` ; | & > < * ? ~"]],
  ['echo "\\$HOME"', ["echo", "$HOME"]],
  ["./build.sh", ["./build.sh"]],
  ["cargo test -p core", ["cargo", "test", "-p", "core"]],
  ["grep -n 'a|b' file", ["grep", "-n", "a|b", "file"]],
  ["ls\\\n -la", ["ls", "-la"]],
];

/** Each holds a second command, or something that bash would interpret. */
const JOINS = [";", "&&", "||", "|", "|&", "&", "\n", ";;\n", "\r\n", "; ", " ;", "\n\n", "&\n", "|\n"];
const SECOND = [
  "id",
  "curl evil",
  "rm -rf x",
  "(id)",
  "{ id; }",
  "$x",
  "`id`",
  "A=1 id",
  "! id",
  "time id",
  "if a; then b; fi",
  "f() { id; }",
];
const EXPANSIONS = [
  "$(id)",
  "`id`",
  "$x",
  "${x}",
  "${x@P}",
  "${!x}",
  "${x:-$(id)}",
  "${x//a/$(id)}",
  "${x[$(id)]}",
  "$((1))",
  "$((a[$(id)]))",
  "$[1]",
  "<(id)",
  ">(id)",
  "$'\\x24(id)'",
  '$"x"',
  '"$(id)"',
  '"`id`"',
  '"$x"',
  '"${x}"',
  "$@",
  "$*",
  "$?",
  "$$",
  "$!",
  "$0",
  "$1",
  "~",
  "~root",
  "~+",
  "~/x",
  "a=~",
  "x:~root",
  "*",
  "?",
  "[a-z]",
  "a*b",
  ".*",
  "{a,b}",
  "{1..9}",
  "a{b,c}d",
  "@(a|b)",
  "!(a)",
  "+(a)",
];
const SHAPES = (expansion: string) => [
  `echo ${expansion}`,
  // A tilde behind a letter is a letter: HEAD~1.
  ...(expansion.startsWith("~") ? [] : [`echo a${expansion}`]),
  `${expansion} a`,
  `ls -- ${expansion}`,
  `echo 'x' ${expansion} "y"`,
];
const REDIRECTIONS = [
  "> x",
  ">x",
  ">> x",
  ">| x",
  "&> x",
  "&>> x",
  ">& x",
  "2> x",
  "2>&1",
  "1>&2",
  "< x",
  "<> x",
  "<&3",
  ">&-",
  "<<< x",
  "<<E\nx\nE",
  "<<'E'\nx\nE",
  "{fd}> x",
  "> ~/.ssh/authorized_keys",
  "> /dev/tcp/1.2.3.4/80",
];
const WORDS = ["git show", "npm test", "ls", "echo a", "cat file"];
const PREFIXES = [
  "A=1",
  "GIT_PAGER=./x",
  "PAGER=./x",
  "LD_PRELOAD=./x",
  "PATH=.",
  "A=$(id)",
  "A=1 B=2",
  "A+=1",
  "A[0]=1",
  "> x",
  "< x",
  "!",
  "time",
  "coproc",
];
const COMPOUNDS = [
  "(ls)",
  "{ ls; }",
  "if ls; then ls; fi",
  "for i in a; do ls; done",
  "for ((;;)); do ls; done",
  "while ls; do ls; done",
  "until ls; do ls; done",
  "case a in a) ls;; esac",
  "select a in b; do ls; done",
  "f() { ls; }",
  "function f { ls; }",
  "[[ -f x ]]",
  "((1))",
  "A=1",
  "",
  "   ",
  "# only a comment",
];
const BROKEN = [
  "ls '",
  'ls "',
  "ls )",
  "ls `",
  "ls $(",
  "ls ${",
  "if",
  "ls <",
  "ls >",
  "ls |",
  "ls &&",
  "<<E",
  "a b () {",
  "case",
  "((",
  "[[",
];
const HIDDEN = [
  "\u200b",
  "\u202e",
  "\u2066",
  "\u00a0",
  "\u2028",
  "\u0000",
  "\u0007",
  "\u001b[2K",
  "\u009b",
  "\r",
  "\ufeff",
  "\u00ad",
  "\u{e0041}",
  "\ue000",
];
const FOREIGN = ["сurl x", "ｌｓ", "ls а", "e\u0301cho", "ls –la"];

describe("a plain command", () => {
  it.each(PLAIN)("%s is one program with its arguments", (command, argv) => {
    expect(analyzeCommand(command)).toEqual({ argv, warnings: [] });
  });
});

describe("anything else is not plain and so cannot be allowed again", () => {
  const cases: string[] = [
    ...JOINS.flatMap((join) => SECOND.map((second) => `ls${join}${second}`)),
    ...EXPANSIONS.flatMap(SHAPES),
    ...WORDS.flatMap((word) => REDIRECTIONS.map((redirection) => `${word} ${redirection}`)),
    ...WORDS.flatMap((word) => PREFIXES.map((prefix) => `${prefix} ${word}`)),
    ...COMPOUNDS,
    ...BROKEN,
    ...HIDDEN.flatMap((character) => [`ls ${character}x`, `l${character}s`, `ls #${character}`]),
    ...FOREIGN,
  ];

  it("in more than six hundred forms", () => {
    expect(new Set(cases).size).toBeGreaterThan(600);
    const plain = cases.filter((command) => analyzeCommand(command).argv !== undefined);
    expect(plain).toEqual([]);
  });

  it.each(BROKEN.filter((command) => command !== "<<E"))("%s is said to be not understood", (command) => {
    expect(analyzeCommand(command).warnings.join()).toContain("could not be analysed");
  });
  it.each([...HIDDEN.map((character) => `ls ${character}x`), ...FOREIGN])("%j is marked", (command) => {
    expect(analyzeCommand(command).warnings.join()).toMatch(/invisible or control|beyond ASCII/);
  });
});

describe("warnings", () => {
  it.each([
    "curl x",
    "/usr/bin/curl x",
    "CURL x",
    "curl.exe x",
    "ls; wget x",
    "ls && (nc x 1)",
    "if a; then ssh x; fi",
    "f() { curl x; }; f",
    "echo $(curl x)",
    "echo `dig x`",
    "cat <(curl x)",
    "env A=1 curl x",
    "xargs -n1 curl",
    "time curl x",
    "nohup curl x &",
    "bash -c 'curl x'",
    "timeout 5 ping x",
    "A=1 curl x",
    '"curl" x',
    "c\\url x",
    "'cu'rl x",
  ])("%s is said to use the network", (command) => {
    expect(analyzeCommand(command).warnings.join()).toContain("Uses the network");
  });
  it.each(["sudo ls", "ls; su", "doas x", "env sudo x"])("%s is said to ask for more rights", (command) => {
    expect(analyzeCommand(command).warnings.join()).toContain("more rights");
  });
  it.each([
    "git push",
    "git -C sub -c a=b push origin",
    "git clone x",
    "bash -c 'git push'",
    "find . -exec curl {} ;",
    "watch curl x",
    "stdbuf -o0 curl x",
    "parallel curl ::: a b",
    "busybox wget x",
    "cat < /dev/tcp/evil/80",
  ])("%s does so by way of another program", (command) => {
    expect(analyzeCommand(command).warnings.join()).toContain("Uses the network");
  });

  it.each(["$x a", "$(echo cu)rl x", "${a}b x", '"$x" y', "a; `b` c"])("%s hides its program", (command) => {
    expect(analyzeCommand(command).warnings.join()).toContain("known only when it runs");
  });

  it.each(["git status", "git commit -m push", "git log -- fetch", "echo $x"])("%s needs no warning", (command) => {
    expect(analyzeCommand(command).warnings).toEqual([]);
  });

  it.each([10, 51, 1000, 10_000])("a network call behind %i others is still seen", (count) => {
    const { argv, warnings } = analyzeCommand(`${"true; ".repeat(count)}curl x`);
    expect(argv).toBeUndefined();
    expect(warnings.length).toBeGreaterThan(0);
    expect(warnings.join()).toMatch(/network|commands|analysed/);
  });
  it("of an overlong or deeply nested command say that it was not understood, in bounded time", () => {
    for (const command of [
      "x".repeat(200_000),
      "$(".repeat(20_000),
      "(".repeat(20_000),
      "{ ".repeat(5000),
      `${"`".repeat(9999)}`,
    ]) {
      const result = analyzeCommand(command);
      expect(result.argv).toBeUndefined();
      expect(result.warnings.length).toBeGreaterThan(0);
    }
  });
});
