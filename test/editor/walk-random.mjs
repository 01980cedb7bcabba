// Random choices that a seed repeats.

/** @param {number} seed an integer; the same one gives the same choices */
export function randomFrom(seed) {
  let state = seed >>> 0;
  const next = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    chance: (share) => next() < share,
    pick: (list) => list[Math.floor(next() * list.length)],
    /** One key of an object of weights. */
    weighted(weights) {
      const entries = Object.entries(weights);
      let at = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [key, weight] of entries) {
        at -= weight;
        if (at < 0) return key;
      }
      return entries.at(-1)[0];
    },
  };
}
