// Serves the chat page as the host would, with a stand-in for the editor's API, on a loopback port.
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type ThemeName, theme } from "./themes.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

// Remembers what the page sent, and keeps its state over a reload as the editor does.
const STAND_IN = `
  window.sent = [];
  let taken = false;
  window.acquireVsCodeApi = () => {
    if (taken) throw new Error("an instance of the API was already acquired");
    taken = true;
    return {
      postMessage: (message) => { window.sent.push(structuredClone(message)); },
      getState: () => JSON.parse(sessionStorage.getItem("state") ?? "null") ?? undefined,
      setState: (state) => sessionStorage.setItem("state", JSON.stringify(state)),
    };
  };
`;

export interface PageServer {
  url(themeName: ThemeName): string;
  /** Requests that were neither for the page nor for its own script and styles. */
  readonly strangers: string[];
  /** Bytes of the minified page script. */
  readonly scriptBytes: number;
  close(): Promise<void>;
}

/** Builds the page's script and serves it; the caller closes the server. */
export async function startPageServer(): Promise<PageServer> {
  const [script, css] = await Promise.all([bundle(), readFile(`${root}media/chat.css`, "utf8")]);
  const strangers: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const themeName = /^\/(?:page|theme)\/(dark|light|hc)/.exec(path)?.[1] as ThemeName | undefined;
    if (path === "/chat.js") send(response, "text/javascript", script);
    else if (path === "/chat.css") send(response, "text/css", css);
    else if (path.startsWith("/theme/") && themeName) send(response, "text/css", theme(themeName).css);
    else if (path.startsWith("/page/") && themeName) send(response, "text/html", html(themeName));
    else {
      if (path !== "/favicon.ico") strangers.push(path);
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (themeName) => `http://127.0.0.1:${port}/page/${themeName}`,
    strangers,
    scriptBytes: Buffer.byteLength(script),
    close: () => close(server),
  };
}

async function bundle(): Promise<string> {
  const result = await build({
    entryPoints: [`${root}src/webview/main.ts`],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    legalComments: "none",
    charset: "utf8",
  });
  return result.outputFiles[0]!.text;
}

function html(themeName: ThemeName): string {
  const nonce = randomBytes(16).toString("base64url");
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src data:",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Coppice</title>
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/theme/${themeName}"><link rel="stylesheet" href="/chat.css"></head>
<body class="${theme(themeName).bodyClass}"><script nonce="${nonce}">${STAND_IN}</script>
<script nonce="${nonce}" src="/chat.js"></script></body></html>`;
}

function send(response: import("node:http").ServerResponse, type: string, body: string): void {
  response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(body);
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
