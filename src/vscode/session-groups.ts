// Sessions as days and threads (pure: no editor in here).
import type { ListedSession } from "./session-actions.ts";

/** A session and what was forked from it. */
export interface Thread {
  session: ListedSession;
  forks: Thread[];
  /** The newest activity in the thread (epoch ms). */
  activeMs: number;
}

export interface Group {
  /** The day as ISO date in local time, or the month for what is long ago. */
  key: string;
  daysAgo: number;
  /** The day in the person's language. */
  title: string;
  threads: Thread[];
}

/** Days that have a group of their own; older sessions are grouped by month. */
const SINGLE_DAYS = 14;
const DAY_MS = 86_400_000;

/** Forks below their parents where these are in the list, newest first; one that would be its own ancestor stands alone. */
export function threadsOf(list: readonly ListedSession[]): Thread[] {
  const byPath = new Map<string, Thread>();
  for (const session of list) byPath.set(session.path, { session, forks: [], activeMs: session.activeMs });
  const top: Thread[] = [];
  for (const thread of byPath.values()) {
    const parent = byPath.get(thread.session.parentSession ?? "");
    if (parent === undefined || hasAncestor(byPath, parent, thread)) top.push(thread);
    else parent.forks.push(thread);
  }
  for (const thread of byPath.values()) raise(byPath, thread);
  const newest = (a: Thread, b: Thread) => b.activeMs - a.activeMs;
  for (const thread of byPath.values()) thread.forks.sort(newest);
  return top.sort(newest);
}

function* ancestors(byPath: ReadonlyMap<string, Thread>, from: Thread): Generator<Thread> {
  const seen = new Set<Thread>();
  let at: Thread | undefined = from;
  while (at !== undefined && !seen.has(at)) {
    seen.add(at);
    yield at;
    at = byPath.get(at.session.parentSession ?? "");
  }
}

function hasAncestor(byPath: ReadonlyMap<string, Thread>, from: Thread, wanted: Thread): boolean {
  for (const at of ancestors(byPath, from)) if (at === wanted) return true;
  return false;
}

function raise(byPath: ReadonlyMap<string, Thread>, thread: Thread): void {
  for (const at of ancestors(byPath, thread)) at.activeMs = Math.max(at.activeMs, thread.session.activeMs);
}

/** Threads by the day of their newest activity, newest day first. */
export function groupByDay(list: readonly ListedSession[], now: number, locale: string): Group[] {
  const groups = new Map<string, Group>();
  const today = startOfDay(now);
  for (const thread of threadsOf(list)) {
    // A clock that is ahead elsewhere makes no other day.
    const day = Math.min(startOfDay(thread.activeMs), today);
    // Rounded: a day with a change of the clock has 23 or 25 hours.
    const daysAgo = Math.round((today - day) / DAY_MS);
    const date = new Date(day);
    const single = daysAgo < SINGLE_DAYS;
    const key = single ? isoDay(date) : isoDay(date).slice(0, 7);
    const known = groups.get(key);
    if (known !== undefined) {
      known.threads.push(thread);
      continue;
    }
    const format: Intl.DateTimeFormatOptions = single
      ? { weekday: "long", day: "numeric", month: "long" }
      : { month: "long", year: "numeric" };
    groups.set(key, { key, daysAgo, title: date.toLocaleDateString(locale, format), threads: [thread] });
  }
  return [...groups.values()];
}

function startOfDay(ms: number): number {
  const date = new Date(ms);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

function isoDay(date: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
