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
  "kept-metadata":
    "Which settings and labels right before the first kept message belong to the kept tail differs: ours leaves alone what stands before an entry that is left out of the context. The first message and so the context are the same.",
  "pi16-metadata-splits":
    "Where settings stand right before the first kept message, Pi 1.6 judges by them and splits the turn before, although the kept tail begins a turn of its own; ours judges by the message.",
  "pi16-leading-results":
    "Where everything fits into the kept tail and the range begins with results whose call is gone, Pi 1.6 summarises those alone; ours finds nothing to compact.",
  "pi16-recovery-keeps-nothing":
    "Where a left-out reply follows the last visible message, Pi 1.6 takes it for a failed attempt and summarises that message as well, so that nothing stays word for word; ours keeps the message.",
  "pi16-label-whitespace": "Pi 1.6 keeps the white space around a label; ours and 0.83 trim it.",
};
