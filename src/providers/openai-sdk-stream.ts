// The OpenAI SDK's decoder of event streams, without its client.
import { Stream } from "openai/streaming";

/** What the decoder asks of a client: somewhere to log. Frames are not logged; they hold people's words. */
const SILENT_CLIENT = {
  logLevel: "off",
  logger: { error() {}, warn() {}, info() {}, debug() {} },
} as unknown as NonNullable<Parameters<typeof Stream.fromSSEResponse>[2]>;

/**
 * The parsed frames of an answer, until it ends. A clean end proves nothing; the caller looks for the terminal event.
 * @throws what the SDK throws: an APIError for an error frame, a SyntaxError for an unreadable one.
 */
export function framesOf<T>(response: Response): AsyncIterable<T | null> {
  return Stream.fromSSEResponse<T>(response, new AbortController(), SILENT_CLIENT);
}
