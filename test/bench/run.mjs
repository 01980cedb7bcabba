// The goals of memory as ratios, references and ours in turn in fresh processes: npm run bench [-- --quick] [--rounds N]
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installReference } from "../reference/install.mjs";
import { editorGoals } from "./editor.mjs";
import { generateSession } from "./generate.mjs";

const quick = process.argv.includes("--quick");
const roundsAt = process.argv.indexOf("--rounds");
const rounds = roundsAt > 0 ? Number(process.argv[roundsAt + 1]) : 3;
const here = dirname(fileURLToPath(import.meta.url));
const { cache, node } = await installReference();
copyFileSync(join(here, "case.mjs"), join(cache, "case.mjs"));
const folder = mkdtempSync(join(tmpdir(), "coppice-bench-"));
const rows = [];

function run(name, path) {
  const { stdout, stderr } = spawnSync(
    node,
    ["--expose-gc", "--max-old-space-size=8192", join(cache, "case.mjs"), name, path],
    {
      encoding: "utf8",
    },
  );
  try {
    return JSON.parse(stdout.trim().split("\n").at(-1));
  } catch {
    return { error: stderr.slice(0, 200) };
  }
}
/** Every case once a round, in rotated order. */
function rotate(names, path) {
  const found = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round) % names.length];
      found[name].push(run(name, path));
    }
  }
  return found;
}
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
/** Median of the ratios inside each round. */
function ratio(above, aboveKey, below, belowKey) {
  if (above.some((one) => one.error)) return Number.POSITIVE_INFINITY;
  return median(above.map((one, i) => one[aboveKey] / below[i][belowKey]));
}
const shown = (value) =>
  value === Number.POSITIVE_INFINITY ? "reference fails" : Number(value.toPrecision(3)).toString();
function goal(what, value, wanted, absolute) {
  if (wanted === "") return void rows.push([what, shown(value), "", "", absolute ?? ""]);
  const met = wanted.startsWith("≥") ? value >= Number(wanted.slice(1)) : value <= Number(wanted.slice(1));
  rows.push([what, shown(value), wanted, met ? "yes" : "no", absolute ?? ""]);
}
const ms = (cases, key = "ms") => `${median(cases.map((one) => one[key])).toFixed(1)} ms`;

try {
  const prepared = {};
  const sizes = quick ? [1, 10] : [1, 10, 100, 500];
  const wanted = { 1: 3, 10: 5, 100: 100, 500: 500 };
  for (const size of sizes) {
    const path = join(folder, `${size}.jsonl`);
    generateSession(path, size * 1e6, { seed: size });
    run("open-ours", path); // Leaves the places of the context's lines for the case "lines".
    const found = rotate(["open-pac", "open-pca", "open-ours", "scan", "lines"], path);
    const mine = found["open-ours"];
    const at = `${size} MB`;
    goal(
      `1 open to context, ${at}: PAC / ours`,
      ratio(found["open-pac"], "ms", mine, "ms"),
      `≥${wanted[size]}`,
      ms(mine),
    );
    goal(`1 open to context, ${at}: ours / parsing the same lines`, ratio(mine, "ms", found.lines, "ms"), "≤3");
    goal(
      `2 whole index, ${at}: PAC open / ours`,
      ratio(found["open-pac"], "ms", mine, "index"),
      size >= 500 ? "≥25" : size >= 100 ? "≥15" : "",
      ms(mine, "index"),
    );
    goal(
      `2 whole index, ${at}: ours / newline scan`,
      ratio(mine, "index", found.scan, "ms"),
      size >= 500 ? "≤2" : size >= 100 ? "≤2.5" : "",
    );
    goal(`2 the same: PAC open / newline scan, the limit`, ratio(found["open-pac"], "ms", found.scan, "ms"), "");
    goal(`3 longest stall, ${at} (ms)`, median(mine.map((one) => one.stall)), "≤16");
    goal(`4 peak over base, ${at} (MB)`, median(mine.map((one) => one.peak)) / 1e6, "≤50");
    goal(`4 kept per entry, ${at} (bytes)`, median(mine.map((one) => one.perEntry)), "≤100");
    goal(
      `6 tree, ${at}: PCA getTree / ours`,
      ratio(found["open-pca"], "tree", mine, "tree"),
      size >= 500 ? "≥20" : "",
      ms(mine, "tree"),
    );
    goal(
      `7 branch switch, ${at}: PCA / ours`,
      ratio(found["open-pca"], "switch", mine, "switch"),
      size >= 500 ? "≥4" : "",
      ms(mine, "switch"),
    );
    goal(
      `7 branch switch, ${at}: ours / parsing the lines`,
      ratio(mine, "switch", mine, "lines"),
      size >= 500 ? "≤2" : "",
    );
    if (size === 100) {
      const recalled = rotate(["recall-ours"], path)["recall-ours"];
      goal("recall, 100 MB, warm index (ms)", median(recalled.map((one) => one.ms)), "≤50", ms(recalled, "index"));
    }
    prepared[size] = median(mine.map((one) => one.prepare));
    goal(
      `8 prepare a compaction, ${at}: PCA / ours`,
      ratio(found["open-pca"], "prepare", mine, "prepare"),
      size >= 500 ? "≥10" : "",
      ms(mine, "prepare"),
    );
    goal(
      `8 prepare a compaction, ${at}: ours / PAC`,
      ratio(mine, "prepare", found["open-pac"], "prepare"),
      size >= 500 ? "≤1.2" : "",
    );
    rmSync(path);
  }
  if (!quick) {
    goal("8 prepare a compaction: 500 MB / 100 MB", prepared[500] / prepared[100], "≤1.5");
    for (const size of [560, 2100]) {
      const path = join(folder, `${size}.jsonl`);
      generateSession(path, size * 1e6, { seed: size });
      const found = [run("open-ours", path)];
      rows.push([
        `5 ${size} MB opens`,
        found[0].error ?? ms(found),
        "opens",
        found[0].error ? "no" : "yes",
        ms(found, "index"),
      ]);
      rmSync(path);
    }
  }
  const chain = join(folder, "chain.jsonl");
  generateSession(chain, quick ? 8e6 : 82e6, { seed: 9, linear: true });
  const chains = rotate(["open-pac", "open-pca", "open-ours", "whole-ours"], chain);
  goal(
    "9 long chain: PAC path / ours",
    ratio(chains["open-pac"], "branch", chains["open-ours"], "path"),
    quick ? "" : "≥100",
    ms(chains["open-ours"], "path"),
  );
  goal(
    "9 long chain, open and context: PAC / ours",
    ratio(chains["open-pac"], "ms", chains["whole-ours"], "ms"),
    quick ? "" : "≥3",
    ms(chains["whole-ours"]),
  );
  goal(
    "9 long chain, open and context: PCA / ours",
    ratio(chains["open-pca"], "ms", chains["whole-ours"], "ms"),
    quick ? "" : "≥1.3",
  );
  rmSync(chain);

  const root = join(folder, "sessions");
  const files = quick ? 50 : 1000;
  for (let i = 0; i < files; i++)
    generateSession(join(root, "--bench--", `2026-01-01T00-00-00-000Z_${i}.jsonl`), quick ? 2e5 : 1.6e6, { seed: i });
  const lists = rotate(["list-pac", "list-pca", "list-ours", "list-stat", "list-scan"], root);
  const at = `${files} sessions`;
  goal(
    `10 list, ${at}: PAC / ours`,
    ratio(lists["list-pac"], "ms", lists["list-ours"], "ms"),
    quick ? "" : "≥60",
    ms(lists["list-ours"]),
  );
  goal(`10 list, ${at}: PCA / ours`, ratio(lists["list-pca"], "ms", lists["list-ours"], "ms"), quick ? "" : "≥600");
  goal(`10 list, ${at}: PCA / stat of all, the limit`, ratio(lists["list-pca"], "ms", lists["list-stat"], "ms"), "");
  goal(
    `10 list rebuilt, ${at}: PCA / newline scan, the limit`,
    ratio(lists["list-pca"], "ms", lists["list-scan"], "ms"),
    "",
  );
  goal(
    `10 list rebuilt, ${at}: ours / newline scan`,
    ratio(lists["list-ours"], "rebuilt", lists["list-scan"], "ms"),
    quick ? "" : "≤1.5",
  );
  goal(
    `10 list rebuilt, ${at}: PCA / ours`,
    ratio(lists["list-pca"], "ms", lists["list-ours"], "rebuilt"),
    quick ? "" : "≥15",
    ms(lists["list-ours"], "rebuilt"),
  );
  goal(
    `10 list, ${at}: ours / stat of all`,
    ratio(lists["list-ours"], "ms", lists["list-stat"], "ms"),
    quick ? "" : "≤1.5",
  );

  const appends = join(folder, "appends");
  mkdirSync(appends);
  const written = rotate(["append-pac", "append-ours", "append-floor"], appends);
  goal(
    "11 durable turns: PAC (not durable) / ours",
    ratio(written["append-pac"], "ms", written["append-ours"], "ms"),
    "≥5",
    ms(written["append-ours"]),
  );
  goal(
    "11 durable turns: ours / write and fdatasync",
    ratio(written["append-ours"], "ms", written["append-floor"], "ms"),
    "≤1.3",
  );

  const page = spawnSync(
    node,
    [
      join(here, "..", "webview", "support", "bench-page.ts"),
      String(quick ? 1 : rounds),
      String(quick ? 2000 : 20_000),
    ],
    {
      encoding: "utf8",
      cwd: join(here, "..", ".."),
    },
  );
  const figures = JSON.parse(page.stdout.trim().split("\n").at(-1) || "null");
  if (figures === null) rows.push(["12 chat page", "could not be measured", "", "no", page.stderr.slice(0, 60)]);
  else {
    const { first, small, naive, nodes, stream, naiveStream } = figures;
    goal(
      "12 page of 20,000 messages, first content: naive / ours",
      naive / first,
      quick ? "" : "≥60",
      `${first.toFixed(0)} ms`,
    );
    goal("12 the same: ours / a page of 200", first / small, quick ? "" : "≤1.5");
    goal("12 the same: elements in the page", nodes, "≤2000");
    goal(
      "13 streamed reply, work: ours / whole text a frame",
      stream / naiveStream,
      "≤0.334",
      `${stream.toFixed(0)} ms`,
    );
  }

  await editorGoals(goal, { quick }).catch((error) =>
    rows.push(["14 editor", "could not be measured", "", "no", String(error).slice(0, 60)]),
  );

  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length), 6));
  for (const row of [["goal", "ratio", "wanted", "met", "ours"], ...rows])
    console.log(row.map((cell, i) => cell.padEnd(widths[i])).join("  "));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
