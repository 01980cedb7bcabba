// A copy of a value as JSON would give it back, sharing the texts in it.

/** Deeper values are left to JSON itself; no entry may be as deep (`MAX_DEPTH`). */
const MAX_LEVELS = 64;
/** No copy: only JSON can tell what the value would become. */
const ODD = Symbol("odd");

/** What `JSON.parse(json)` gives, where `json` is `JSON.stringify(value)`: without making every text anew. */
export function jsonCopy<T>(value: T, json: string): T {
  const copy = copyOf(value, MAX_LEVELS);
  return copy === ODD ? JSON.parse(json) : (copy as T);
}

function copyOf(value: unknown, levels: number): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      // JSON knows no negative zero.
      return Number.isFinite(value) ? value + 0 : ODD;
    case "object":
      if (value === null) return null;
      if (levels === 0 || "toJSON" in value) return ODD;
      return Array.isArray(value) ? arrayCopy(value, levels - 1) : objectCopy(value, levels - 1);
    default:
      return ODD;
  }
}

function arrayCopy(value: readonly unknown[], levels: number): unknown[] | typeof ODD {
  const copy: unknown[] = [];
  for (let i = 0; i < value.length; i++) {
    const item = copyOf(value[i], levels);
    if (item === ODD) return ODD;
    copy.push(item);
  }
  return copy;
}

function objectCopy(value: object, levels: number): object | typeof ODD {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return ODD;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const one = (value as Record<string, unknown>)[key];
    if (one === undefined) continue;
    const item = key === "__proto__" ? ODD : copyOf(one, levels);
    if (item === ODD) return ODD;
    copy[key] = item;
  }
  return copy;
}
