// Decides what a link in a reply may ask of the host: the web, a file of the workspace, or nothing.

export type LinkTarget =
  | { kind: "web"; url: string; title: string }
  | { kind: "file"; path: string; line?: number; title: string };

/**
 * What the address leads to; undefined where it must stay inert: `command:`, `javascript:`, `vscode:`, `file:`, `data:` and
 * every other scheme, and addresses with a network path (security §1.D 39–40).
 */
export function linkTarget(address: string): LinkTarget | undefined {
  const trimmed = address.trim();
  if (trimmed === "" || trimmed.length > 4000 || trimmed.startsWith("#")) return undefined;
  if (/^https?:\/\//i.test(trimmed)) {
    const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined;
    // Names before the host make an address look like another one.
    if (url?.username !== "" || url.password !== "") return undefined;
    return { kind: "web", url: url.href, title: url.href };
  }
  return fileTarget(trimmed);
}

function fileTarget(address: string): LinkTarget | undefined {
  const path = decoded(address);
  if (path === undefined || path.startsWith("//") || path.includes("\\") || /[\p{Cc}\p{Cf}?*"<>|]/u.test(path))
    return undefined;
  const match = /^(.*?)(?:#L(\d{1,7})(?:-L?\d+)?|:(\d{1,7})(?::\d+)?)?$/.exec(path);
  const file = match?.[1] ?? "";
  // A colon left over is a scheme; a file needs a name that looks like one.
  if (file === "" || file.includes(":") || file.includes("#") || !/[./]/.test(file)) return undefined;
  const line = match?.[2] ?? match?.[3];
  return line === undefined
    ? { kind: "file", path: file, title: file }
    : { kind: "file", path: file, line: Number(line), title: `${file}:${line}` };
}

function decoded(address: string): string | undefined {
  try {
    return decodeURIComponent(address);
  } catch {
    return undefined;
  }
}
