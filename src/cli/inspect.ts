// `inspect FILE --json`: one JSON object that says what the core sees in a session file.

import { reportSession, type SessionReport } from "../core/session/session-report.ts";
import { type Arguments, numberOption } from "./arguments.ts";
import { DEFAULTS, type MemoryReport, memoryReport } from "./memory-report.ts";
import { openFile } from "./open-file.ts";

export interface Inspection extends SessionReport, MemoryReport {}

export async function inspect(args: Arguments): Promise<Inspection> {
  const session = await openFile(args.positional[0]!);
  try {
    await session.ready();
    const context = await session.buildContext();
    const settings = {
      keepRecentTokens: numberOption(args, "keep-recent", DEFAULTS.keepRecentTokens),
      reserveTokens: numberOption(args, "reserve", DEFAULTS.reserveTokens),
      window: args.options.has("window") ? numberOption(args, "window", 0) : undefined,
    };
    return { ...(await reportSession(session, context)), ...memoryReport(session, context, settings) };
  } finally {
    await session.close();
  }
}
