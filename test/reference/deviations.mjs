// Where our sessions differ from the references on valid files, and why. Everything else must be equal.

export const DEVIATIONS = {
  "core83-older-compaction":
    "Where an older compaction lies in the kept range, pi-agent-core 0.83 shows a second summary or ends its path at the older one's kept entry, losing messages; Pi 1.6 and ours show one summary and every kept message.",
  "core83-state-before-compaction":
    "pi-agent-core 0.83 reads settings from the path back to the newest compaction only and falls back to off; ours reads the whole path, as Pi 1.6 does.",
  "core83-unknown-entries":
    "pi-agent-core 0.83 knows no context_edit and shows what Pi 1.6 and ours leave out or replace.",
  "pi16-retained-tail":
    "Pi 1.6 ignores messages that pi-agent-core 0.83 stored with a compaction (retainedTail); ours shows them.",
  "pi16-leaf":
    "Pi 1.6 ignores leaf entries and takes the last entry for the position; ours follows them, as 0.83 does.",
  "pi16-label-whitespace": "Pi 1.6 keeps the white space around a label; ours and 0.83 trim it.",
};
