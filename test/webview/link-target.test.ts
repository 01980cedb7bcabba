import { describe, expect, it } from "vitest";
import { linkTarget } from "../../src/webview/link-target.ts";

describe("a link in a reply", () => {
  it("leads to the web with http and https only", () => {
    expect(linkTarget("https://example.com/a?b=c")).toMatchObject({ kind: "web", url: "https://example.com/a?b=c" });
    expect(linkTarget("HTTP://example.com")).toMatchObject({ kind: "web", url: "http://example.com/" });
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "command:workbench.action.terminal.new",
    "vscode://file/etc/passwd",
    "vscode-webview://x",
    "file:///etc/passwd",
    "blob:https://example.com/x",
    "ftp://example.com",
    "//example.com/x",
    "\\\\server\\share",
    "https://user:pass@example.com/",
    "https://google.com@evil.example/",
    "https://",
    "mailto:a@example.com",
    "%6aavascript:alert(1)",
    "src/a%00.ts",
    "%",
    "",
    "#here",
  ])("leads nowhere: %j", (address) => {
    expect(linkTarget(address)).toBeUndefined();
  });

  it("leads to a file, and to a line of it", () => {
    expect(linkTarget("src/a.ts")).toEqual({ kind: "file", path: "src/a.ts", title: "src/a.ts" });
    expect(linkTarget("src/a.ts:12")).toMatchObject({ path: "src/a.ts", line: 12 });
    expect(linkTarget("src/a.ts:12:5")).toMatchObject({ path: "src/a.ts", line: 12 });
    expect(linkTarget("src/a.ts#L7-L9")).toMatchObject({ path: "src/a.ts", line: 7 });
    expect(linkTarget("my%20file.md")).toMatchObject({ path: "my file.md" });
  });
});
