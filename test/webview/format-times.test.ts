import { afterEach, describe, expect, it, vi } from "vitest";
import { formatWhole } from "../../src/webview/format-numbers.ts";
import { formatMoment, formatTime } from "../../src/webview/format-times.ts";

afterEach(() => void vi.unstubAllGlobals());
/** A page in the editor's display language. */
const page = (lang: string) => vi.stubGlobal("document", { documentElement: { lang } });

const MORNING = new Date(2026, 10, 2, 9, 44, 37);

describe("times and numbers in the page", () => {
  it("are written in the display language of the editor, not of the browser", () => {
    page("de");
    expect(formatWhole(45_210)).toBe("45.210");
    expect(formatTime(MORNING, MORNING.getTime())).toBe("09:44");
    expect(formatMoment(MORNING)).toBe("2.11.2026, 09:44:37");
    page("en");
    expect(formatWhole(45_210)).toBe("45,210");
    expect(formatTime(MORNING, MORNING.getTime()).replace("\u202f", " ")).toBe("09:44 AM");
  });

  it("name the day where it is not today", () => {
    page("de");
    expect(formatTime(MORNING, MORNING.getTime() + 86_400_000)).toBe("2. Nov., 09:44");
  });
});
