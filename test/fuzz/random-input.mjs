// Seeded random inputs: texts of hostile pieces, and mutations of valid bytes.

/** Numbers in [0, 1) that are the same on every machine. */
export function numbers(seed) {
  let state = (seed * 2654435761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const below = (random, limit) => Math.floor(random() * limit);
export const choose = (random, list) => list[below(random, list.length)];

/** A few pieces, one behind the other. */
export function textOf(random, pieces, most) {
  let text = "";
  for (let n = below(random, most + 1); n > 0; n--) text += choose(random, pieces);
  return text;
}

/** Bytes with some of them changed, cut, doubled or replaced by pieces. */
export function mutate(random, bytes, pieces) {
  let result = Buffer.from(bytes);
  for (let n = 1 + below(random, 6); n > 0; n--) {
    const at = below(random, result.length + 1);
    const end = Math.min(result.length, at + below(random, 60));
    const piece = Buffer.from(choose(random, pieces));
    switch (below(random, 6)) {
      case 0:
        result = Buffer.concat([result.subarray(0, at), piece, result.subarray(at)]);
        break;
      case 1:
        result = Buffer.concat([result.subarray(0, at), result.subarray(end)]);
        break;
      case 2:
        result = Buffer.concat([result.subarray(0, end), result.subarray(at)]);
        break;
      case 3:
        if (at < result.length) result[at] = below(random, 256);
        break;
      case 4:
        result = Buffer.concat([result.subarray(0, at), piece, result.subarray(end)]);
        break;
      default:
        result = result.subarray(0, Math.max(1, result.length - below(random, 40)));
    }
  }
  return result;
}
