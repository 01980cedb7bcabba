// Reads pictures that were pasted or dropped; refuses what no provider would take.
import type { DraftImage } from "./saved-page.ts";
import { t } from "./strings.ts";

/** Characters of base64 per picture: the host's limit of one text. */
const MAX_DATA = 4_000_000;

/** Pictures among these files, and why others were left out. */
export async function readImages(files: readonly File[]): Promise<{ images: DraftImage[]; refused: string }> {
  const images: DraftImage[] = [];
  let refused = "";
  for (const file of files) {
    if (!isKnown(file.type)) {
      refused = t("{0} is not a picture that can be sent (PNG, JPEG, GIF or WebP).", file.name);
      continue;
    }
    const mimeType = file.type;
    const data = await readBase64(file);
    if (data.length > MAX_DATA) refused = t("{0} is too large: pictures may have up to 3 MB.", file.name);
    else images.push({ mimeType, data });
  }
  return { images, refused };
}

function isKnown(type: string): type is DraftImage["mimeType"] {
  return type === "image/png" || type === "image/jpeg" || type === "image/gif" || type === "image/webp";
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result).replace(/^[^,]*,/, "")));
    reader.addEventListener("error", () => reject(reader.error ?? new Error("unreadable file")));
    reader.readAsDataURL(file);
  });
}

/** The files a drop names by address: from the editor's own lists, `vscode-remote:` included. */
export function droppedUris(transfer: DataTransfer): string[] {
  for (const type of ["application/vnd.code.uri-list", "text/uri-list"]) {
    const uris = transfer
      .getData(type)
      .split(/\r?\n/)
      .filter((line) => line !== "" && !line.startsWith("#"));
    if (uris.length > 0) return uris.slice(0, 50);
  }
  return [];
}
