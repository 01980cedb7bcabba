// Writes when something was said, in the editor's display language.
import { language } from "./strings.ts";

const CLOCK: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit" };

/** The time of day; before it the day where that is not the day of `now` (ms). */
export function formatTime(date: Date, now = Date.now()): string {
  const isToday = date.toDateString() === new Date(now).toDateString();
  return date.toLocaleString(language(), isToday ? CLOCK : { day: "numeric", month: "short", ...CLOCK });
}

/** Date and time in full. */
export function formatMoment(date: Date): string {
  return date.toLocaleString(language());
}
