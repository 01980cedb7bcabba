import { describe, expect, it } from "vitest";
import { checkGrowth, numbersFrom } from "../../support/odd-session.ts";

/** Seeds of `npm run fuzz -- --only growth` that this many runs begin with. */
const RUNS = 300;

describe("a session whose file grows", () => {
  it("ends as one that opens the finished file, whatever stands in it and wherever it was cut", async () => {
    const failed: string[] = [];
    for (let seed = 1; seed <= RUNS; seed++) {
      await checkGrowth(numbersFrom(seed)).catch((error: Error) => failed.push(`seed ${seed}: ${error.message}`));
    }
    expect(failed).toEqual([]);
  });
});
