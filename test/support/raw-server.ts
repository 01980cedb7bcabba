// Serves hand-written answers, one per request, for dialects that the model server does not speak.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface RawAnswer {
  status?: number;
  type?: string;
  /** Frames are sent as `data:` events where they are objects, else as they are. */
  frames: unknown[];
}

export interface RawServer {
  url: string;
  bodies: Record<string, unknown>[];
  close(): Promise<void>;
}

/** Starts it; the last answer repeats. */
export async function startRawServer(answers: readonly RawAnswer[]): Promise<RawServer> {
  const bodies: Record<string, unknown>[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    bodies.push(JSON.parse(text) as Record<string, unknown>);
    const answer = answers[Math.min(bodies.length, answers.length) - 1] as RawAnswer;
    response.writeHead(answer.status ?? 200, { "content-type": answer.type ?? "text/event-stream" });
    for (const frame of answer.frames)
      response.write(typeof frame === "string" ? frame : `data: ${JSON.stringify(frame)}\n\n`);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
