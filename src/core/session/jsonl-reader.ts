// Reads lines of a session file by place: neighbours in one read, a megabyte at a time (performance §2, §7).
import type { FileHandle } from "../ports.ts";

/** Bytes of lines that are read and parsed before others run. */
const RUN_BYTES = 1024 * 1024;
/** Bytes of one slice of a scan: enough that the next one is read by another thread while this one is taken. */
const SLICE_BYTES = 2 * 1024 * 1024;
/** Bytes of one slice where nothing is read ahead. */
const NEAR_BYTES = 512 * 1024;
/** Buffers of scans that ended: fresh ones cost as much as the scan of a small file. */
const spare: Uint8Array[] = [];
const MAX_SPARE = 4;
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
      if (place.offset > end + GAP_BYTES || place.offset + place.length - start > RUN_BYTES) break;
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

/**
 * Calls `take` with slices of `[from, to)`, each good until `take` is done; others run between them. `near`: in slices that
 * stay in the processor's cache, which is quicker until there is so much to read that another thread is worth its start.
 */
export async function readSlices(
  file: FileHandle,
  from: number,
  to: number,
  take: (bytes: Uint8Array) => void | Promise<void>,
  near = false,
): Promise<void> {
  const most = near ? NEAR_BYTES : SLICE_BYTES;
  const buffer = () => spare.pop() ?? new Uint8Array(SLICE_BYTES);
  const buffers = to - from > most ? [buffer(), buffer()] : [buffer()];
  const readAt = (at: number, turn: number) => file.read(at, Math.min(most, to - at), buffers[turn % buffers.length]);
  let next = from < to ? readAt(from, 0) : undefined;
  try {
    for (let at = from, turn = 1; next !== undefined; turn++) {
      const bytes = await next;
      at += bytes.length;
      // The next slice is read while this one is taken; with one buffer there is no next slice, or a short read.
      const more = bytes.length > 0 && at < to;
      next = more && buffers.length > 1 ? readAt(at, turn) : undefined;
      if (bytes.length > 0) await take(bytes);
      if (more && next === undefined) next = readAt(at, turn);
    }
  } finally {
    await next?.catch(() => {});
    for (const used of buffers) if (spare.length < MAX_SPARE) spare.push(used);
  }
}
