// The page of an editor tab: strict content policy, a fresh nonce each time, nothing remote.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/** HTML that loads `dist/webview/<script>.js` and `media/<style>.css` of each style, and nothing else. */
export function panelHtml(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  script: string,
  ...styles: string[]
): string {
  const nonce = randomBytes(16).toString("base64");
  const uri = (...path: string[]) => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, ...path));
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
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
${styles.map((style) => `<link rel="stylesheet" href="${uri("media", `${style}.css`)}">`).join("\n")}
<title>Coppice</title>
</head>
<body>
<script nonce="${nonce}" src="${uri("dist", "webview", `${script}.js`)}"></script>
</body>
</html>`;
}
