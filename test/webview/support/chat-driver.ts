// Drives one chat page in Chromium: speaks as the host does, and reads what the page answers.
import { type Browser, chromium, type Page } from "playwright-core";
import type { FromWebview } from "../../../src/protocol/from-webview.ts";
import type { ToWebview, ViewOp } from "../../../src/protocol/to-webview.ts";
import type { ChatState } from "../../../src/protocol/view-state.ts";
import type { PageServer } from "./page-server.ts";
import type { ThemeName } from "./themes.ts";

declare global {
  interface Window {
    sent: FromWebview[];
  }
}

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A browser without network habits of its own; path from CHROME_PATH. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.CHROME_PATH ?? "/usr/bin/chromium", args: FLAGS });
}

export class ChatDriver {
  readonly page: Page;
  /** Everything that the browser asked the network for. */
  readonly requests: string[] = [];
  /** Errors of scripts and of the content policy. */
  readonly errors: string[] = [];
  #seq = 0;

  private constructor(page: Page) {
    this.page = page;
    page.on("request", (request) => this.requests.push(request.url()));
    page.on("pageerror", (error) => this.errors.push(String(error)));
    page.on("console", (message) => message.type() === "error" && this.errors.push(message.text()));
  }

  static async open(
    browser: Browser,
    server: PageServer,
    options: { theme?: ThemeName; width?: number; height?: number; reducedMotion?: boolean } = {},
  ): Promise<ChatDriver> {
    const { width = 400, height = 720 } = options;
    const context = await browser.newContext({
      viewport: { width, height },
      reducedMotion: options.reducedMotion ? "reduce" : "no-preference",
    });
    const driver = new ChatDriver(await context.newPage());
    await driver.page.goto(server.url(options.theme ?? "dark"));
    return driver;
  }

  /** Says something to the page and waits until it was drawn. */
  async say(message: ToWebview): Promise<void> {
    await this.page.evaluate((data) => window.postMessage(data, "*"), message as unknown);
    await this.drawn();
  }

  async snapshot(state: ChatState): Promise<void> {
    await this.say({ type: "state.snapshot", seq: ++this.#seq, state, strings: {} });
  }

  async frame(...ops: ViewOp[]): Promise<void> {
    await this.say({ type: "state.frame", seq: ++this.#seq, ops });
  }

  /** The number that the next message would have, taken without sending anything. */
  skip(): number {
    return ++this.#seq;
  }

  get seq(): number {
    return this.#seq;
  }

  /** What the page has sent of this type. */
  sent<T extends FromWebview["type"]>(type: T): Promise<Extract<FromWebview, { type: T }>[]> {
    return this.page.evaluate((wanted) => window.sent.filter((one) => one.type === wanted), type as string) as Promise<
      Extract<FromWebview, { type: T }>[]
    >;
  }

  /** Two frames: what was asked for stands on the screen. */
  async drawn(): Promise<void> {
    await this.page.evaluate(
      () => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
    );
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
