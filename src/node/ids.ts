// Ids of sessions (UUIDv7) and entries (eight hex digits).
import { randomBytes, randomFillSync, randomUUID } from "node:crypto";
import type { Clock, Ids } from "../core/ports.ts";

const ATTEMPTS = 100;
/** Random bytes that are asked for at once: asking for each id alone costs more than all else of it. */
const POOL_BYTES = 1024;

/** Random ids as Pi writes them (behaviours §2). */
export function createIds(clock: Clock): Ids {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return {
    sessionId() {
      const bytes = randomBytes(16);
      bytes.writeUIntBE(clock.now(), 0, 6);
      bytes[6] = 0x70 | (bytes[6]! & 0x0f);
      bytes[8] = 0x80 | (bytes[8]! & 0x3f);
      const hex = bytes.toString("hex");
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },
    entryId(taken) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (used === POOL_BYTES) {
          randomFillSync(pool);
          used = 0;
        }
        const id = pool.toString("hex", used, used + 4);
        used += 4;
        if (!taken(id)) return id;
      }
      return randomUUID();
    },
  };
}

export const systemClock: Clock = { now: () => Date.now() };
