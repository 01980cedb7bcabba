import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { commandEnvironment } from "../../../src/node/shell.ts";
import { type ToolWorld, toolWorld } from "../../support/tool-world.ts";

let world: ToolWorld;
beforeEach(() => {
  world = toolWorld();
});
afterEach(() => world.dispose());
const bash = (command: string, extra: Record<string, unknown> = {}, signal?: AbortSignal) =>
  world.run("bash", { command, ...extra }, signal === undefined ? {} : { signal });

describe("bash", () => {
  it("runs in the workspace and returns output and exit code", async () => {
    expect(await bash("pwd; echo err >&2")).toMatchObject({ text: `${world.root}\nerr`, isError: false });
    expect(await bash("exit 3")).toMatchObject({ text: "(no output)\n[Exit code 3]", isError: true });
    expect((await bash("kill -9 $$")).text).toContain("[Ended by SIGKILL]");
  });

  it("starts every command in a fresh shell", async () => {
    await bash("export COPPICE_X=1; cd /; alias ls=false");
    expect((await bash('echo "$COPPICE_X"; pwd')).text).toBe(`\n${world.root}`);
  });

  it("gives commands no keys, no pagers and no programs of the workspace", async () => {
    const env = commandEnvironment(
      {
        Path: `/usr/bin:${world.root}/node_modules/.bin:${world.root}:relative:/opt/bin`,
        HOME: "/h",
        OPENAI_API_KEY: "sk-1",
        ANTHROPIC_BASE_URL: "http://evil",
        GITHUB_TOKEN: "t",
        XDG_SESSION_SECRET: "s",
        LC_ALL: "C",
        BASH_ENV: "/x",
        LD_PRELOAD: "/x.so",
        NODE_OPTIONS: "--require x",
        GIT_SSH_COMMAND: "x",
        PAGER: "./x",
      },
      world.root,
    );
    expect(env).toEqual({
      PATH: "/usr/bin:/opt/bin",
      HOME: "/h",
      LC_ALL: "C",
      PAGER: "cat",
      GIT_PAGER: "cat",
      GIT_TERMINAL_PROMPT: "0",
      NO_COLOR: "1",
      TERM: "dumb",
    });
    process.env.COPPICE_TEST_API_KEY = "sk-planted";
    try {
      expect((await bash("env")).text).not.toContain("sk-planted");
    } finally {
      delete process.env.COPPICE_TEST_API_KEY;
    }
  });

  it("ends on abort, with everything that it started", async () => {
    const controller = new AbortController();
    const marker = join(world.root, "alive");
    const run = bash(`(sleep 1; touch ${marker}) & wait`, {}, controller.signal);
    setTimeout(() => controller.abort(), 100);
    expect((await run).text).toContain("[Aborted]");
    await new Promise((resolve) => setTimeout(resolve, 1300));
    expect(() => readFileSync(marker)).toThrow();
  });

  it("ends a command that ignores the polite signal", async () => {
    const result = await bash("trap '' TERM; while :; do :; done", { timeout: 1 });
    expect(result.text).toContain("[Timed out after 1 s]");
  });

  it("comes back in time though a grandchild left the process group and holds the pipe", async () => {
    const result = await bash("setsid sh -c 'while :; do echo y; sleep 0.01; done' & wait", { timeout: 1 });
    expect(result.text).toContain("[Timed out after 1 s]");
    expect(result.text.length).toBeLessThan(60 * 1024);
  });

  it("stops endless output at ten megabytes and keeps the whole in a private file", async () => {
    const result = await bash("yes");
    expect(result.text).toContain("[Stopped: more than 10 MB of output]");
    expect(result.isError).toBe(true);
    const path = (result.details as { fullOutputPath: string }).fullOutputPath;
    expect(readFileSync(path).length).toBeGreaterThanOrEqual(10 * 1024 * 1024);
  });

  it("shows the end of long output and says where all of it is", async () => {
    const result = await bash("seq 1 5000");
    expect(result.text).toContain("\n5000\n");
    expect(result.text.startsWith("3001\n")).toBe(true);
    expect(result.text).toContain("[The last 2000 of 5000 lines; all of it is in ");
  });

  it("shows no escape sequences, bells or backspaces", async () => {
    const result = await bash(
      String.raw`printf 'a\033[31mred\033[0m \033]0;title\007b\033]52;c;QQ==\033\\c\010\001 50%%\r100%%\n\033(0x\033Pq\033\\ \xc2\x9b31m'`,
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(result.text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
    expect(result.text).not.toContain("title");
    expect(result.text).not.toContain("52;c");
    expect(result.text).toContain("100%");
  });

  it("decodes a character that comes in pieces", async () => {
    expect((await bash(String.raw`printf '\xf0\x9f'; sleep 0.05; printf '\x98\x80'`)).text).toBe("😀");
  });

  it("says so when the folder is gone, and works again when it is back", async () => {
    rmSync(world.root, { recursive: true });
    await expect(bash("pwd")).rejects.toThrow("does not exist any more");
    mkdirSync(world.root);
    expect((await bash("pwd")).text).toBe(world.root);
  });

  it("is asked for with the whole command; only a plain one can be allowed for the session", async () => {
    const plain = await world.propose("bash", { command: "npm test" });
    expect(plain).toMatchObject({ command: "npm test", sessionKey: "command:npm test" });
    const joined = await world.propose("bash", { command: "npm test && curl evil" });
    expect(joined?.sessionKey).toBeUndefined();
    expect(joined?.command).toBe("npm test && curl evil");
    const forged = await world.propose("bash", { command: "ls", requires_approval: false });
    expect(forged?.kind).toBe("command");
  });

  it("does not run what the workspace planted under a program's name", async () => {
    writeFileSync(join(world.root, "ls"), "#!/bin/sh\necho planted\n", { mode: 0o755 });
    expect((await bash("ls -d /")).text).toBe("/");
  });
});
