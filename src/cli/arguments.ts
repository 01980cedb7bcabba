// The arguments of the command line, strictly: an option that is not known is an error.

export interface Arguments {
  positional: string[];
  options: Map<string, string | true>;
}

export class UsageError extends Error {}

/** `flags` take no value, `values` take one. Throws UsageError. */
export function parseArguments(
  args: readonly string[],
  known: { flags?: readonly string[]; values?: readonly string[]; positional: number },
): Arguments {
  const positional: string[] = [];
  const options = new Map<string, string | true>();
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!;
    if (!arg.startsWith("--")) {
      positional.push(arg);
      continue;
    }
    const [name, inline] = arg.slice(2).split(/=(.*)/s, 2) as [string, string | undefined];
    if (known.flags?.includes(name) && inline === undefined) options.set(name, true);
    else if (known.values?.includes(name)) {
      const value = inline ?? args[++i];
      if (value === undefined) throw new UsageError(`--${name} needs a value`);
      options.set(name, value);
    } else throw new UsageError(`unknown option ${arg}`);
  }
  if (positional.length !== known.positional) {
    throw new UsageError(
      positional.length < known.positional ? "something is missing" : `too much: ${positional.at(-1)}`,
    );
  }
  return { positional, options };
}

/** A whole number of tokens, or the default. Throws UsageError. */
export function numberOption(args: Arguments, name: string, byDefault: number): number {
  const value = args.options.get(name);
  if (value === undefined) return byDefault;
  if (!/^\d{1,15}$/.test(String(value))) throw new UsageError(`--${name} needs a whole number`);
  return Number(value);
}
