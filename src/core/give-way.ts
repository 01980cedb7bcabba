// Long work in slices: lets others run on the event loop before 16 ms are over (performance §9, goal 3).

/** Work goes on for so long (ms) before others run. */
const TURN_MS = 4;

let turnFrom = 0;

/** True where nobody else had the chance to run for a while; costs next to nothing, so loops ask often. */
export function isTurnOver(): boolean {
  return performance.now() - turnFrom >= TURN_MS;
}

/** Lets others run. Works that go on side by side share the turn. A timer would cost a millisecond each time. */
export function giveWay(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => {
      turnFrom = performance.now();
      resolve();
    });
  });
}
