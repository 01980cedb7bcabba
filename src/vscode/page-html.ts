// The page of every webview: one strict content policy, a fresh nonce each time, nothing remote.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/** What a page is made of: `dist/webview/<script>.js` and `media/<style>.css` of each style. */
export interface PageParts {
  script: string;
  styles: readonly string[];
  /** It shows pictures that came with messages. */
  pictures?: boolean;
}

/** HTML that loads the page's script and style, and nothing else. */
export function pageHtml(webview: vscode.Webview, extensionUri: vscode.Uri, parts: PageParts): string {
  const nonce = randomBytes(16).toString("base64");
  const uri = (...path: string[]) => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, ...path));
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    ...(parts.pictures === true ? ["img-src data:"] : []),
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
${parts.styles.map((style) => `<link rel="stylesheet" href="${uri("media", `${style}.css`)}">`).join("\n")}
<title>Coppice</title>
</head>
<body>
<script nonce="${nonce}" src="${uri("dist", "webview", `${parts.script}.js`)}"></script>
</body>
</html>`;
}

/** What a webview may load and do. */
export function pageOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
  return {
    enableScripts: true,
    enableForms: false,
    enableCommandUris: false,
    localResourceRoots: [
      vscode.Uri.joinPath(extensionUri, "dist", "webview"),
      vscode.Uri.joinPath(extensionUri, "media"),
    ],
  };
}
