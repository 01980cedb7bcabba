// Where ripgrep is: in the editor's installation, in one of the places it has had there, or on the PATH.
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

let found: Promise<string | undefined> | undefined;

function search(appRoot: string): string | undefined {
  const binary = process.platform === "win32" ? "rg.exe" : "rg";
  const platform = `${process.platform}-${process.arch}`;
  const candidates = [
    join(appRoot, "node_modules", "@vscode", "ripgrep-universal", "bin", platform, binary),
    join(appRoot, "node_modules", "@vscode", "ripgrep", "bin", binary),
    join(appRoot, "node_modules.asar.unpacked", "@vscode", "ripgrep", "bin", binary),
    ...(process.env.PATH ?? "")
      .split(delimiter)
      .filter((folder) => isAbsolute(folder))
      .map((folder) => join(folder, binary)),
  ];
  return candidates.find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Absolute path, or undefined; looked for once. */
export function findRipgrep(appRoot: string): Promise<string | undefined> {
  found ??= Promise.resolve().then(() => search(appRoot));
  return found;
}
