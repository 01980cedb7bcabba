import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CWD, file, line, userLine } from "../support/session-files.ts";

let folder: string;
let program: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "coppice-cli-"));
  program = join(folder, "session.mjs");
  await build({
    entryPoints: ["src/cli/session.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: program,
    logLevel: "warning",
    banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  return { status, stdout, stderr };
}
function put(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const tree = file(
  userLine("aaaaaaaa", null, "A"),
  line("message", "bbbbbbbb", "aaaaaaaa", {
    message: {
      role: "assistant",
      content: [{ type: "text", text: "B" }],
      provider: "p",
      model: "m",
      usage: { input: 5, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 7, cost: { total: 0.5 } },
      stopReason: "stop",
      timestamp: 1,
    },
  }),
  userLine("cccccccc", "bbbbbbbb", "C"),
  line("leaf", "11111111", "cccccccc", { targetId: "aaaaaaaa" }),
  line("custom", "22222222", "aaaaaaaa", { customType: "coppice.position" }),
  userLine("dddddddd", "22222222", "D"),
  line("label", "33333333", "dddddddd", { targetId: "aaaaaaaa", label: "start" }),
  line("session_info", "44444444", "33333333", { name: "Name" }),
  line("hologram", "55555555", "44444444", { x: 1 }),
);

describe("inspect", () => {
  it("tells what the core sees", () => {
    const { status, stdout } = run("inspect", put("tree.jsonl", tree), "--json");
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      version: 3,
      id: "s1",
      cwd: CWD,
      entries: 9,
      types: { message: 4, leaf: 1, custom: 1, label: 1, session_info: 1, hologram: 1 },
      bad: [],
      leafId: "55555555",
      name: "Name",
      labels: { aaaaaaaa: "start" },
      roots: ["aaaaaaaa"],
      tips: ["cccccccc", "55555555"],
      model: null,
      thinkingLevel: "off",
      activeTools: null,
      stats: { messages: { user: 3, assistant: 1 }, usage: { input: 5, totalTokens: 7, cost: { total: 0.5 } } },
    });
    expect(JSON.parse(stdout).context.map((item: { entryId: string }) => item.entryId)).toEqual([
      "aaaaaaaa",
      "dddddddd",
    ]);
  });

  it("says what it is not given and what is no session, and writes nothing", () => {
    expect(run("inspect").status).toBe(2);
    expect(run("inspect", "x", "--nonsense").stderr).toContain("unknown option --nonsense");
    expect(run("inspect", join(folder, "none.jsonl")).stderr).toContain("There is no session file");
    const other = put("other.txt", "hello\n");
    expect(run("inspect", other)).toMatchObject({ status: 2, stdout: "" });
    expect(readFileSync(other, "utf8")).toBe("hello\n");
  });
});

describe("the memory of a session", () => {
  it("counts four characters a token and plans a compaction with the numbers given", () => {
    const turns = file(
      ...["a", "b", "c", "d"].map((name, i) =>
        userLine(name.repeat(8), i === 0 ? null : ["a", "b", "c"][i - 1]!.repeat(8), name.repeat(40)),
      ),
    );
    const { stdout } = run("inspect", put("turns.jsonl", turns), "--json", "--keep-recent", "15");
    expect(JSON.parse(stdout)).toMatchObject({
      context: ["a", "b", "c", "d"].map((name) => ({ entryId: name.repeat(8), role: "user", tokens: 10 })),
      contextTokens: { tokens: 40, usageTokens: 0, trailingTokens: 40 },
      compaction: {
        firstKeptEntryId: "cccccccc",
        isSplitTurn: false,
        summarize: ["aaaaaaaa", "bbbbbbbb"],
        prefix: [],
        tokensBefore: 40,
      },
    });
    expect(JSON.parse(run("inspect", put("turns.jsonl", turns)).stdout).compaction).toBeNull();
  });

  it.each(["anthropic", "openai-responses", "openai-chat"])("answers every call in a request to %s", (api) => {
    const open = file(
      userLine("aaaaaaaa", null, "A"),
      line("message", "bbbbbbbb", "aaaaaaaa", {
        message: {
          role: "assistant",
          content: [{ type: "toolCall", id: "call_1", name: "read", arguments: { path: "x" } }],
          stopReason: "toolUse",
        },
      }),
      userLine("cccccccc", "bbbbbbbb", "C"),
    );
    const { status, stdout } = run("request", put("open.jsonl", open), "--api", api, "--json");
    expect(status).toBe(0);
    expect(stdout.match(/call_1/g)?.length).toBe(2);
  });

  it("knows three forms of request", () => {
    expect(run("request", put("open.jsonl", file(userLine("aaaaaaaa", null))), "--api", "x").status).toBe(2);
  });
});

describe("check", () => {
  it("finds nothing wrong with a whole file", () => {
    expect(run("check", put("good.jsonl", tree))).toMatchObject({ status: 0, stdout: "no damage, 9 entries\n" });
  });

  it("reports damage by line, and repairs a copy that loses no readable entry", () => {
    const damaged = file(
      userLine("aaaaaaaa", null, "A"),
      userLine("bbbbbbbb", "aaaaaaaa", "B").slice(0, 110),
      userLine("cccccccc", "bbbbbbbb", "C"),
      userLine("dddddddd", "99999999", "D"),
    );
    const path = put("bad.jsonl", damaged);
    const { status, stdout } = run("check", path, "--repair");
    expect(status).toBe(1);
    expect(stdout).toContain("line 3: ");
    expect(stdout).toContain("entry dddddddd follows 99999999");
    expect(readFileSync(path, "utf8")).toBe(damaged);
    const copy = join(folder, "bad.repaired.jsonl");
    expect(run("check", copy).status).toBe(0);
    const lines = readFileSync(copy, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((text) => JSON.parse(text));
    expect(lines.map((entry) => [entry.id, entry.parentId])).toEqual([
      ["aaaaaaaa", null],
      ["cccccccc", "aaaaaaaa"],
      ["dddddddd", null],
    ]);
    run("check", path, "--repair");
    expect(readdirSync(folder)).toContain("bad.repaired-2.jsonl");
  });

  it("names entries that follow themselves or each other, and repairs them", () => {
    const path = put(
      "ring.jsonl",
      file(
        userLine("aaaaaaaa", null, "A"),
        userLine("bbbbbbbb", "bbbbbbbb", "B"),
        userLine("cccccccc", "dddddddd", "C"),
        userLine("dddddddd", "cccccccc", "D"),
      ),
    );
    const { status, stdout } = run("check", path, "--repair");
    expect(status).toBe(1);
    expect(stdout).toContain("entry bbbbbbbb follows bbbbbbbb");
    expect(stdout).toMatch(/entry (?:cccccccc follows dddddddd|dddddddd follows cccccccc)/);
    expect(run("check", join(folder, "ring.repaired.jsonl"))).toMatchObject({
      status: 0,
      stdout: "no damage, 4 entries\n",
    });
  });
});

describe("export", () => {
  const attack = '</pre><script>alert(1)</script><img src=x onerror=alert(1)>" onload="x';
  const hostile = file(
    userLine("aaaaaaaa", null, attack),
    line("message", "bbbbbbbb", "aaaaaaaa", {
      message: {
        role: "assistant",
        model: attack,
        content: [
          { type: "toolCall", id: "c", name: attack, arguments: { x: attack } },
          { type: "text", text: "```\n# not a heading\n```" },
        ],
      },
    }),
    line("message", "cccccccc", "bbbbbbbb", {
      message: {
        role: "toolResult",
        toolName: attack,
        content: [
          { type: "image", data: 'x" onerror="alert(1)', mimeType: "image/svg+xml" },
          { type: "text", text: attack },
        ],
      },
    }),
    line("label", "dddddddd", "cccccccc", { targetId: "aaaaaaaa", label: attack }),
    line("session_info", "eeeeeeee", "dddddddd", { name: attack }),
    line("compaction", "ffffffff", "eeeeeeee", { summary: attack, tokensBefore: 1 }),
    line(attack, "00000001", "ffffffff"),
    userLine("00000002", "aaaaaaaa", "another branch"),
  );

  it("as a page lets nothing of the session become markup", () => {
    const { status, stdout } = run("export", put("hostile.jsonl", hostile), "--format", "html");
    expect(status).toBe(0);
    const tags = new Set([...stdout.matchAll(/<\/?([a-z0-9]+)/gi)].map((match) => match[1]!.toLowerCase()));
    expect([...tags].sort()).toEqual(
      "a article body details h1 h2 h3 head header html li main mark meta nav ol p pre section small style summary title".split(
        " ",
      ),
    );
    expect(stdout).not.toMatch(/<[^>]*\son[a-z]+\s*=/i);
    expect(stdout).toContain("default-src 'none'");
    expect(stdout).toContain("another branch");
    expect(stdout.match(/<section/g)?.length).toBe(2);
  });

  it("as Markdown fences what tools said, whatever it holds", () => {
    const { stdout } = run("export", put("hostile.jsonl", hostile), "--format", "md");
    expect(stdout).toContain("## You · ");
    expect(stdout).toMatch(/^\*Another branch(?:, from [^*_`<>[\]\n]+)?\*$/m);
  });

  it("as text and as a page names where each branch parts, and no branch that shows nothing", () => {
    const twice = file(
      userLine("aaaaaaaa", null, "Where **shall** we begin?"),
      userLine("bbbbbbbb", "aaaaaaaa", "On the left"),
      userLine("cccccccc", "aaaaaaaa", "On the right"),
      line("custom", "dddddddd", "bbbbbbbb", { customType: "coppice.position", data: {} }),
      line("custom", "eeeeeeee", "bbbbbbbb", { customType: "coppice.position", data: {} }),
    );
    const path = put("twice.jsonl", twice);
    const branches = (text: string) => text.split("\n").filter((one) => /another branch/i.test(one));
    expect(branches(run("export", path, "--format", "md").stdout)).toEqual([
      "*Another branch, from You: “Where shall we begin?”*",
    ]);
    expect(branches(run("export", path, "--format", "html").stdout)).toHaveLength(1);
  });

  it("as lines gives the session again", () => {
    const path = put("tree.jsonl", tree);
    const out = join(folder, "again.jsonl");
    expect(run("export", path, "--format", "jsonl", "--out", out).status).toBe(0);
    expect(readFileSync(out, "utf8")).toBe(tree);
  });

  it("needs a format that it knows", () => {
    expect(run("export", put("tree.jsonl", tree), "--format", "pdf").status).toBe(2);
  });
});

describe("list", () => {
  it("lists sessions of a root, by header where a folder is asked for", () => {
    const root = join(folder, "root");
    mkdirSync(join(root, "--a-b--"), { recursive: true });
    const at = (cwd: string) => file(userLine("aaaaaaaa", null, cwd)).replace(CWD, cwd);
    writeFileSync(join(root, "--a-b--", "1.jsonl"), at("/a/b"));
    writeFileSync(join(root, "--a-b--", "2.jsonl"), at("/a-b"));
    expect(JSON.parse(run("list", root, "--json").stdout).length).toBe(2);
    const own = JSON.parse(run("list", root, "--json", "--cwd", "/a-b").stdout);
    expect(own).toMatchObject([{ cwd: "/a-b", firstMessage: "/a-b" }]);
    expect(run("list", root).stdout.split("\n").length).toBe(3);
  });
});
