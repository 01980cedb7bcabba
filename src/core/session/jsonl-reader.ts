// Reads lines of a session file by place: neighbours in one read, a megabyte at a time (performance §2, §7).
import { giveWay, isTurnOver } from "../give-way.ts";
import type { FileHandle } from "../ports.ts";
import { type Place, wholeText } from "./line-bytes.ts";

/** Bytes of lines that are read together: as text they are small enough to be made and dropped cheaply. */
const RUN_BYTES = 32 * 1024;
/** From so many lines on a run is decoded as a whole: the call costs more than the characters of a short line. */
const FEW_LINES = 4;
/** Bytes of one slice of a scan: each costs a call to the system, and others wait until it is taken. */
const SLICE_BYTES = 1024 * 1024;
/** Bytes of the first slice; each next one is twice as large. What has never run before takes longest. */
const FIRST_SLICE_BYTES = 128 * 1024;
/** Buffers of scans that ended: fresh ones cost as much as the scan of a small file. */
const spare: Uint8Array[] = [];
const MAX_SPARE = 2;
let spareRun: Uint8Array | undefined;
/** Lines nearer than this are read together with what stands between them. */
const GAP_BYTES = 16 * 1024;

/**
 * Calls `take` with each line in file order, `undefined` where the file ends before the line does: as text where it stands
 * among others, which are decoded together, as bytes where it stands alone or something in them is no UTF-8. Others run
 * between runs.
 */
export async function readPlaces(
  file: FileHandle,
  places: readonly Place[],
  take: (index: number, line: Uint8Array | string | undefined, isPlain: boolean) => void,
): Promise<void> {
  const order = inFileOrder(places);
  let buffer: Uint8Array | undefined;
  if (order.length >= FEW_LINES) {
    buffer = spareRun ?? new Uint8Array(RUN_BYTES);
    spareRun = undefined;
  }
  for (let i = 0; i < order.length; ) {
    if (isTurnOver()) await giveWay();
    const start = places[order[i]!]!.offset;
    let end = start + places[order[i]!]!.length;
    let next = i + 1;
    for (; next < order.length; next++) {
      const { offset, length } = places[order[next]!]!;
      if (offset > end + GAP_BYTES || offset + length - start > RUN_BYTES) break;
      end = Math.max(end, offset + length);
    }
    const bytes = await file.read(start, end - start, end - start <= RUN_BYTES ? buffer : undefined);
    const text = next - i >= FEW_LINES ? wholeText(bytes) : undefined;
    // Plain ASCII: a place among the bytes is a place in the text.
    const isPlain = text?.length === bytes.length;
    const inOrder = isPlain ? undefined : text?.split("\n");
    const closely = inOrder?.length === next - i && areNeighbours(places, order, i, next) ? inOrder : undefined;
    const first = i;
    for (; i < next; i++) {
      const { offset, length } = places[order[i]!]!;
      const at = offset - start;
      if (at + length > bytes.length) take(order[i]!, undefined, false);
      else if (isPlain) take(order[i]!, text!.slice(at, at + length), true);
      else take(order[i]!, closely === undefined ? bytes.subarray(at, at + length) : closely[i - first]!, false);
    }
  }
  spareRun = buffer ?? spareRun;
}

/** True where nothing but a newline stands between each line of `[from, to)` and the next. */
function areNeighbours(places: readonly Place[], order: Uint32Array, from: number, to: number): boolean {
  for (let i = from + 1; i < to; i++) {
    const before = places[order[i - 1]!]!;
    if (before.offset + before.length + 1 !== places[order[i]!]!.offset) return false;
  }
  return true;
}

function inFileOrder(places: readonly Place[]): Uint32Array {
  const order = new Uint32Array(places.length);
  let isSorted = true;
  for (let i = 0; i < places.length; i++) {
    order[i] = i;
    if (i > 0 && places[i - 1]!.offset > places[i]!.offset) isSorted = false;
  }
  return isSorted ? order : order.sort((a, b) => places[a]!.offset - places[b]!.offset);
}

/** Calls `take` with slices of `[from, to)`, each good until `take` is done; others run between them. */
export async function readSlices(
  file: FileHandle,
  from: number,
  to: number,
  take: (bytes: Uint8Array) => void | Promise<void>,
): Promise<void> {
  const buffer = spare.pop() ?? new Uint8Array(SLICE_BYTES);
  try {
    for (let at = from, most = FIRST_SLICE_BYTES; at < to; most = Math.min(most * 2, SLICE_BYTES)) {
      const bytes = await file.read(at, Math.min(most, to - at), buffer);
      if (bytes.length === 0) return;
      at += bytes.length;
      await take(bytes);
      if (isTurnOver()) await giveWay();
    }
  } finally {
    if (spare.length < MAX_SPARE) spare.push(buffer);
  }
}
