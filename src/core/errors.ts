// Errors with a code that callers branch on; the text is for people.

export type SessionErrorCode =
  | "not_found"
  | "not_a_session"
  | "read_only"
  | "invalid_entry"
  | "invalid_argument"
  | "storage"
  | "closed";
export type HarnessErrorCode = "busy" | "invalid_state" | "invalid_argument" | "hook" | "auth" | "session" | "unknown";
export type CompactionErrorCode = "aborted" | "nothing_to_compact" | "summarization_failed" | "cancelled_by_hook";

class CodedError<C extends string> extends Error {
  readonly code: C;
  constructor(code: C, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.name = new.target.name;
  }
}

/** A session file or tree refused; the message names file, line and way out where there are such. */
export class SessionError extends CodedError<SessionErrorCode> {}
/** The harness refused an operation. */
export class HarnessError extends CodedError<HarnessErrorCode> {}
/** A compaction or branch summary came to nothing; nothing was written. */
export class CompactionError extends CodedError<CompactionErrorCode> {}

/** Whatever was thrown, as an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Marks a place that the types prove unreachable. */
export function assertNever(value: never): never {
  throw new Error(`unexpected ${JSON.stringify(value)}`);
}
