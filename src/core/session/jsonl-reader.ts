// Reads lines of a session file by place: neighbours in one read, a megabyte at a time (performance §2, §7).
import type { FileHandle } from "../ports.ts";

/** Bytes of one read, and so of what is parsed before others run. */
export const SLICE_BYTES = 1024 * 1024;
/** Lines nearer than this are read together with what stands between them. */
const GAP_BYTES = 16 * 1024;

export interface Place {
  offset: number;
  length: number;
}

/** Calls `take` with each line's bytes, in file order; `undefined` where the file ends before the line does. */
export async function readPlaces(
  file: FileHandle,
  places: readonly Place[],
  take: (index: number, bytes: Uint8Array | undefined) => void,
): Promise<void> {
  const order = places.map((_, i) => i);
  const sorted = places.every((place, i) => i === 0 || places[i - 1]!.offset <= place.offset);
  if (!sorted) order.sort((a, b) => places[a]!.offset - places[b]!.offset);
  for (let i = 0; i < order.length; ) {
    const start = places[order[i]!]!.offset;
    let end = start + places[order[i]!]!.length;
    let next = i + 1;
    for (; next < order.length; next++) {
      const place = places[order[next]!]!;
      if (place.offset > end + GAP_BYTES || place.offset + place.length - start > SLICE_BYTES) break;
      end = Math.max(end, place.offset + place.length);
    }
    const bytes = await file.read(start, end - start);
    for (; i < next; i++) {
      const { offset, length } = places[order[i]!]!;
      const line = bytes.subarray(offset - start, offset - start + length);
      take(order[i]!, line.length === length ? line : undefined);
    }
  }
}

/** Calls `take` with slices of `[from, to)`, each good until `take` is done; others run between them. */
export async function readSlices(
  file: FileHandle,
  from: number,
  to: number,
  take: (bytes: Uint8Array) => void | Promise<void>,
): Promise<void> {
  const size = Math.max(0, Math.min(SLICE_BYTES, to - from));
  const buffers = [new Uint8Array(size), new Uint8Array(from + size < to ? size : 0)];
  const readAt = (at: number, turn: number) => file.read(at, Math.min(SLICE_BYTES, to - at), buffers[turn % 2]);
  let next = from < to ? readAt(from, 0) : undefined;
  for (let at = from, turn = 1; next !== undefined; turn++) {
    const bytes = await next;
    at += bytes.length;
    // The next slice is read while this one is taken.
    next = bytes.length > 0 && at < to ? readAt(at, turn) : undefined;
    try {
      if (bytes.length > 0) await take(bytes);
    } catch (error) {
      await next?.catch(() => {});
      throw error;
    }
  }
}
