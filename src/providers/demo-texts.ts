// The demo's longer texts.

/** Ends every reply of the demo. */
export const SIGNATURE = "*— scripted demo, no AI*";

export const HELP = `Here is what I can show you in this project, with real tools and your approval:

- **What's in this folder?** lists files
- **Read src/greeting.ts** reads one
- **Make the greeting friendlier** edits it, after you have seen the change
- **Run the tests** runs a command, after you have allowed it
- **Search for greet** searches the files
- **Explain branches** and **Explain compaction** tell what makes Coppice different
- **Tell me a long story** fills the context, so that you can watch a compaction

To use a real model, choose **Coppice: Manage Providers** from the Command Palette.`;

export const BRANCHES = `A conversation in Coppice is a **tree**, not a line.

1. Every message hangs on the one before it.
2. When you edit an earlier message and send it again, nothing is overwritten: a second branch grows beside the first.
3. The arrows at a message, and the Session Tree in the side bar, show the other branches. Looking moves nothing.
4. You move when you send from there, or press **Continue from here**. If you like, the branch that you leave is summarised, so that its findings come along.

Try it: edit your first message, send it, and open the Session Tree.`;

export const COMPACTION = `A model reads the whole conversation with every request, and its **context window** is limited. Mine holds 16,384 tokens.

**Compaction** replaces the older part by a structured summary: goal, constraints, progress, decisions, next steps, critical context. The recent part stays word for word.

- It starts by itself when the context is nearly full, or when you type \`/compact\`, if you like with a focus: \`/compact keep the file names\`.
- The session file keeps everything; only what the model is sent becomes shorter.
- A compaction can be looked into, and it can be **undone**.

Ask me for a **long story** two or three times and watch the meter.`;

const PARAGRAPHS = [
  "A hazel was cut to the ground in the winter, and the people of the village thought it was gone. In the spring eleven shoots came out of the stool, each of them straighter than the old trunk had ever been.",
  "The keeper of the wood counted the shoots and wrote the number into a book. She never tore a page out of it. What had been written down wrongly was corrected below, so that a reader could see both.",
  "When the shoots were seven years old, some were taken for hurdles and some for bean poles. The others were left to grow on. Nobody could tell beforehand which of them would become the strongest.",
  "A traveller asked why the wood looked young although the map called it old. The keeper answered that the roots were older than the church, and that cutting back was what had kept them alive.",
  "In the dry year the tall trees on the hill lost their crowns. The coppice lost its leaves and grew them again in August, because there was more root than shoot.",
  "The traveller came back and wanted to see the shoot under which he had slept. It had been cut, but its place was in the book, and from the same stool four others had grown.",
];

/** About 2,500 tokens. */
export const LONG = `Here is a long story, so that the context fills up.\n\n${Array.from({ length: 48 }, (_, index) => `**${index + 1}.** ${PARAGRAPHS[index % PARAGRAPHS.length]}`).join("\n\n")}`;
