// Makes media/sample-session.jsonl: a made-up session with three branches and two compactions, for looking around before
// a model is chosen. Run: node test/support/make-sample-session.mjs

import type { AssistantMessage, ToolCall } from "../../src/core/llm/messages.ts";
import type { Session } from "../../src/core/session/session.ts";
import { createMemorySession } from "../../src/core/session/stored-session.ts";
import { countingIds } from "./session-builder.ts";

const START = Date.parse("2026-11-02T09:14:00.000Z");
const MODEL = { api: "coppice-demo", provider: "demo", model: "demo" };

type Step = [name: string, args: Record<string, unknown>, result: string, details?: unknown];

/** Of the system prompt and the tools, as the product estimates them: the sample's sizes are the inspector's. */
const PROMPT_TOKENS = 907;

class Author {
  readonly session: Session;
  #now = START;
  #calls = 0;
  #context = PROMPT_TOKENS;

  constructor() {
    this.session = createMemorySession({ cwd: "/sample", clock: { now: () => this.#now }, ids: countingIds() });
  }

  #later(seconds: number): number {
    this.#now += seconds * 1000;
    return this.#now;
  }

  async user(text: string): Promise<string> {
    this.#context += Math.ceil(text.length / 4);
    return await this.session.appendMessage({ role: "user", content: text, timestamp: this.#later(95) });
  }

  async reply(text: string, steps: Step[] = []): Promise<string> {
    const calls: ToolCall[] = steps.map(([name, args]) => ({
      type: "toolCall",
      id: `sample_${++this.#calls}`,
      name,
      arguments: args,
    }));
    const length = text.length + JSON.stringify(calls).length;
    const message: AssistantMessage = {
      role: "assistant",
      ...MODEL,
      content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...calls],
      stopReason: calls.length > 0 ? "toolUse" : "stop",
      usage: {
        input: this.#context,
        output: Math.ceil(length / 4),
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: this.#context + Math.ceil(length / 4),
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
        estimated: true,
      },
      timestamp: this.#later(9),
    };
    this.#context += Math.ceil(length / 4);
    let id = await this.session.appendMessage(message);
    for (const [index, [name, , result, details]] of steps.entries()) {
      this.#context += Math.ceil(result.length / 4);
      id = await this.session.appendMessage({
        role: "toolResult",
        toolCallId: calls[index]!.id,
        toolName: name,
        content: [{ type: "text", text: result }],
        ...(details === undefined ? {} : { details }),
        isError: false,
        timestamp: this.#later(2),
      });
    }
    return id;
  }

  /** A turn of a prompt, calls one after the other, and a closing reply. */
  async turn(prompt: string, work: [text: string, steps: Step[]][], closing: string): Promise<string> {
    const id = await this.user(prompt);
    for (const [text, steps] of work) await this.reply(text, steps);
    await this.reply(closing);
    return id;
  }

  async compact(summary: string, firstKeptEntryId: string, details: { readFiles: string[]; modifiedFiles: string[] }) {
    this.#later(20);
    const tokensAfter = PROMPT_TOKENS + Math.ceil(summary.length / 4) + 45;
    const id = await this.session.appendCompaction({
      summary,
      firstKeptEntryId,
      tokensBefore: this.#context,
      details: { ...details, tokensAfter },
    });
    this.#context = tokensAfter;
    return id;
  }

  async goTo(target: string, fromId: string, summary: string) {
    this.#later(140);
    await this.session.moveTo(target, { fromId, summary, details: { readFiles: [], modifiedFiles: [] } });
  }
}

const read = (path: string, result: string): Step => ["read", { path }, result];
const bash = (command: string, result: string): Step => ["bash", { command }, result, { exitCode: 0 }];
const edit = (path: string, oldText: string, newText: string): Step => [
  "edit",
  { path, edits: [{ oldText, newText }] },
  `Changed ${path} (1 place).`,
  { path: `/sample/${path}`, before: `${oldText}\n`, after: `${newText}\n` },
];
const pass = (count: number) => `# tests ${count}\n# pass ${count}\n# fail 0`;

const TODO = `export interface Todo {
  text: string;
  done: boolean;
}

export function add(list: readonly Todo[], text: string): Todo[] {
  return [...list, { text, done: false }];
}`;

/** The whole story, in order. */
export async function writeSampleSession(): Promise<Session> {
  const a = new Author();
  const { session } = a;
  await session.appendModelChange("demo", "demo");
  await session.appendSessionName("Sample session");

  await a.turn(
    "Have a look at this project and tell me in a few lines what it does.",
    [
      ["I'll look at what is there.", [["ls", {}, "package.json\nREADME.md\nsrc/\ntodo.test.js"]]],
      ["", [read("README.md", "# Sample\n\nA greeting and a list of things to do."), read("src/todo.ts", TODO)]],
    ],
    "A small TypeScript project without dependencies:\n\n- `src/todo.ts` keeps a list of things to do; lists are never changed in place.\n- `src/greeting.ts` makes a greeting.\n- `todo.test.js` runs with Node's own test runner.",
  );
  const dueDates = await a.turn(
    "I want due dates on the todos. Plain ISO dates, no library. Never use tabs, and keep the functions pure.",
    [
      [
        "First the type, then the function that adds.",
        [
          edit(
            "src/todo.ts",
            "  done: boolean;\n}",
            "  done: boolean;\n  /** ISO date such as 2026-11-30. */\n  due?: string;\n}",
          ),
        ],
      ],
      [
        "",
        [
          edit(
            "src/todo.ts",
            "export function add(list: readonly Todo[], text: string): Todo[] {\n  return [...list, { text, done: false }];",
            "export function add(list: readonly Todo[], text: string, due?: string): Todo[] {\n  return [...list, { text, done: false, ...(due === undefined ? {} : { due }) }];",
          ),
        ],
      ],
      ["", [bash("npm test", pass(1))]],
    ],
    "Todos can have a `due` date now. It is optional, so nothing that exists changes. The test still passes.",
  );
  await session.appendLabel(dueDates, "due dates");
  await a.turn(
    "Add a function that lists what is overdue, with today passed in.",
    [
      [
        "",
        [
          edit(
            "src/todo.ts",
            "// end",
            "/** What is open and was due before a day. */\nexport function overdue(list: readonly Todo[], today: string): Todo[] {\n  return list.filter((todo) => !todo.done && todo.due !== undefined && todo.due < today);\n}",
          ),
        ],
      ],
      [
        "A test for it.",
        [
          ["write", { path: "overdue.test.js", content: "…" }, "Wrote overdue.test.js (24 lines)."],
          bash("npm test", pass(4)),
        ],
      ],
    ],
    "`overdue(list, today)` compares ISO dates as text, which is right for that format. Three tests cover the day itself, done items and items without a date.",
  );
  for (const [what, file] of [
    ["sort by due date, undated ones last", "sort"],
    ["count what is done per day", "stats"],
    ["parse a line such as `water trees @2026-12-01`", "parse"],
    ["write the list as Markdown check boxes", "markdown"],
  ] as const) {
    await a.turn(
      `Next: ${what}.`,
      [
        ["", [read("src/todo.ts", TODO)]],
        [
          `I'll put that into \`src/${file}.ts\`.`,
          [["write", { path: `src/${file}.ts`, content: "…" }, `Wrote src/${file}.ts (18 lines).`]],
        ],
        ["", [bash("npm test", pass(6))]],
      ],
      `Done: \`src/${file}.ts\`. It is pure, like the rest, and has tests of its own.`,
    );
  }
  const kept = await a.user("Which of these functions would you merge, if any?");
  await a.reply(
    "None yet. `sort` and `overdue` both walk the list, but each says in its name what it is for. I would rather share the type guard `isDated(todo)`, which three files repeat.",
  );
  await a.compact(
    `## Goal
Give the todo list due dates and what follows from them.

## Constraints & Preferences
- Plain ISO dates, no library
- Never use tabs
- Keep the functions pure

## Progress
### Done
- [x] \`due\` on todos, \`overdue(list, today)\`
- [x] \`src/sort.ts\`, \`src/stats.ts\`, \`src/parse.ts\`, \`src/markdown.ts\`, each with tests

### In Progress
- [ ] Whether to share a type guard

### Blocked
- (none)

## Key Decisions
- **Dates as text**: ISO dates compare correctly as strings

## Next Steps
1. Share \`isDated(todo)\` between overdue, sort and markdown

## Critical Context
- Tests run with \`npm test\` (Node's own runner)

<read-files>
README.md
</read-files>

<modified-files>
overdue.test.js
src/markdown.ts
src/parse.ts
src/sort.ts
src/stats.ts
src/todo.ts
</modified-files>`,
    kept,
    {
      readFiles: ["README.md"],
      modifiedFiles: [
        "overdue.test.js",
        "src/markdown.ts",
        "src/parse.ts",
        "src/sort.ts",
        "src/stats.ts",
        "src/todo.ts",
      ],
    },
  );
  const guard = await a.turn(
    "Good. Share the guard, then show me the three places.",
    [
      [
        "",
        [
          edit(
            "src/todo.ts",
            "// guard",
            "/** True for a todo with a due date. */\nexport function isDated(todo: Todo): todo is Todo & { due: string } {\n  return todo.due !== undefined;\n}",
          ),
        ],
      ],
      [
        "",
        [
          [
            "grep",
            { pattern: "isDated", path: "src" },
            "src/todo.ts:12:export function isDated\nsrc/todo.ts:20:  list.filter((todo) => !todo.done && isDated(todo)\nsrc/sort.ts:4:  isDated(a)\nsrc/markdown.ts:9:  isDated(todo)",
          ],
        ],
      ],
      ["", [bash("npm test", pass(14))]],
    ],
    "`isDated` is shared; the three places are `overdue`, `sort` and `markdown`. All 14 tests pass.",
  );
  const fork = await a.turn(
    "How should recurring todos work?",
    [],
    'Two ways, both small:\n\n1. **A rule on the todo** (`every: "week"`), and completing it makes the next one.\n2. **A template list** apart from the todos, from which a day\'s list is made.\n\nThe first keeps everything in one place; the second keeps history cleaner. Which do you prefer?',
  );
  await a.turn(
    "Try the first: a rule on the todo.",
    [
      ["", [edit("src/todo.ts", "  due?: string;", '  due?: string;\n  every?: "day" | "week" | "month";')]],
      [
        "Completing a recurring todo makes the next one.",
        [["write", { path: "src/recurring.ts", content: "…" }, "Wrote src/recurring.ts (31 lines)."]],
      ],
      ["", [bash("npm test", "# tests 17\n# pass 16\n# fail 1\nnot ok 17 - the 31st of a month")]],
    ],
    "It works but for one thing: a todo due on the 31st has no next month's day in November. That needs a rule of its own: the last day of the month?",
  );
  const left = session.getLeafId()!;
  await a.goTo(
    fork,
    left,
    `The user explored another branch of this conversation before coming back here. What happened there:

## Goal
Recurring todos by a rule on the todo itself.

## Progress
### Done
- [x] \`every\` on todos and \`src/recurring.ts\`

### Blocked
- The 31st of a month has no next date in shorter months

## Key Decisions
- **Left unfinished**: the rule needs calendar logic that the user wants to avoid

<modified-files>
src/recurring.ts
src/todo.ts
</modified-files>`,
  );
  await a.turn(
    "Let us do it with a template list instead, without calendar logic.",
    [
      [
        "A template says on which weekday it applies; a day's list is made from it.",
        [["write", { path: "src/templates.ts", content: "…" }, "Wrote src/templates.ts (22 lines)."]],
      ],
      [
        "",
        [
          ["write", { path: "templates.test.js", content: "…" }, "Wrote templates.test.js (30 lines)."],
          bash("npm test", pass(18)),
        ],
      ],
    ],
    "`fromTemplates(templates, day)` makes the todos of a day; a weekday is a number from 0 to 6. There is no month arithmetic in it. 18 tests pass.",
  );
  for (const [prompt, closing] of [
    ["Write the README section for it.", "The README explains templates in six lines with one example."],
    [
      "Could the parser read a weekday too, as `@mon`?",
      "Yes: `parse` takes `@mon` to `@sun` and makes a template of such a line.",
    ],
    [
      "What is still missing for a first release?",
      "A way to load and save. I would keep that out of `src/` and put it into a small `bin/todo.js`, so that the functions stay pure.",
    ],
    [
      "Do that, reading and writing JSON.",
      "`bin/todo.js` reads and writes `todos.json` beside it; `add`, `done`, `list` and `overdue` work.",
    ],
  ] as const) {
    await a.turn(
      prompt,
      [
        ["", [read("README.md", "# Sample")]],
        ["", [bash("npm test", pass(20))]],
      ],
      closing,
    );
  }
  const second = await a.user("Summarise for the changelog what changed today.");
  await a.reply(
    "- Due dates on todos, what is overdue, sorting and Markdown\n- Templates for recurring todos\n- A small command line, `bin/todo.js`",
  );
  await a.compact(
    `## Goal
Give the todo list due dates, recurring todos and a small command line.

## Constraints & Preferences
- Plain ISO dates, no library
- Never use tabs
- Keep the functions pure
- No calendar logic

## Progress
### Done
- [x] Due dates, \`overdue\`, sorting, statistics, parsing, Markdown, shared \`isDated\`
- [x] Templates by weekday in \`src/templates.ts\`; the parser reads \`@mon\` to \`@sun\`
- [x] \`bin/todo.js\` with add, done, list, overdue

### In Progress
- [ ] Changelog

### Blocked
- (none)

## Key Decisions
- **Templates instead of rules on todos**: no month arithmetic
- **Loading and saving in bin/**: the functions stay pure

## Next Steps
1. Write the changelog

## Critical Context
- Tests run with \`npm test\`; 20 pass

<modified-files>
bin/todo.js
src/templates.ts
src/todo.ts
templates.test.js
</modified-files>`,
    second,
    { readFiles: [], modifiedFiles: ["bin/todo.js", "src/templates.ts", "src/todo.ts", "templates.test.js"] },
  );
  await a.turn(
    "Put that into CHANGELOG.md.",
    [["", [["write", { path: "CHANGELOG.md", content: "…" }, "Wrote CHANGELOG.md (7 lines)."]]]],
    "Written. The version is 0.2.0.",
  );
  const main = session.getLeafId()!;
  await session.appendLabel(main, "release 0.2.0");
  // A third branch: another answer to an earlier question, without a summary.
  await session.moveTo(guard);
  await a.turn(
    "Before that: is there anything in src/ that nobody uses?",
    [
      [
        "",
        [
          [
            "grep",
            { pattern: "export function", path: "src" },
            "src/todo.ts:6:export function add\nsrc/stats.ts:3:export function donePerDay",
          ],
        ],
      ],
    ],
    "`donePerDay` in `src/stats.ts` is used by its test alone. I would keep it until the command line exists.",
  );
  await session.moveTo(main);
  return session;
}
