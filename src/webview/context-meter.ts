// Shows how much of the context window is used, where compaction will start, and whether the number is a guess.
import type { ContextView } from "../protocol/view-state.ts";
import { h, setAttribute, setText, show } from "./dom.ts";
import { formatCost, formatTokens, formatWhole } from "./format-numbers.ts";
import { t } from "./strings.ts";

const SVG = "http://www.w3.org/2000/svg";
const RADIUS = 6;
const ROUND = 2 * Math.PI * RADIUS;

/** What the meter says in words, and how urgent it is. */
export interface MeterReading {
  /** 0 to 1; null while the number is unknown. */
  share: number | null;
  short: string;
  text: string;
  details: string;
  level: "calm" | "near" | "over";
}

/** Reads a context; "near" begins at nine tenths of what starts a compaction. */
export function readMeter(context: ContextView): MeterReading {
  const { tokens, window, threshold } = context;
  const limit = threshold ?? window;
  const about = context.estimated ? "~" : "";
  const share = tokens === null || window <= 0 ? null : Math.min(1, tokens / window);
  const per = share === null ? "–" : `${about}${Math.round(share * 100)}%`;
  const of = context.ofShown === true ? [t("At the point that is shown")] : [];
  const used =
    tokens === null
      ? context.ofShown === true
        ? t("Context used: not counted here")
        : t("Context used: unknown until the next reply")
      : t("{0} of {1} tokens ({2})", about + formatWhole(tokens), formatWhole(window), per);
  const when =
    context.waits === true
      ? t("Automatic compaction waits: one was undone on this branch")
      : threshold === null
        ? t("Automatic compaction is off")
        : t("Compaction above {0} tokens", formatWhole(threshold));
  const details = [
    ...of,
    used,
    when,
    t("Reserved for the reply: {0}", formatWhole(context.reserveTokens)),
    t("Kept by a compaction: {0}", formatWhole(context.keepRecentTokens)),
    ...(context.costUsd === undefined ? [] : [t("Cost of this session: {0}", formatCost(context.costUsd))]),
  ];
  return {
    share,
    short: tokens === null ? "–" : per,
    text: [...of, used, when].join(". "),
    details: details.join("\n"),
    level: tokens === null ? "calm" : tokens > limit ? "over" : tokens >= limit * 0.9 ? "near" : "calm",
  };
}

export class ContextMeter {
  readonly element: HTMLElement;
  readonly #meter: HTMLElement;
  readonly #arc: SVGCircleElement;
  readonly #tick: SVGCircleElement;
  readonly #text = h("span", { class: "meter-text" });
  readonly #tokens = h("span", { class: "meter-tokens" });
  readonly #button: HTMLButtonElement;

  /** `inspect` opens the list of what the model will see. */
  constructor(inspect: () => void) {
    const ring = document.createElementNS(SVG, "svg");
    ring.setAttribute("viewBox", "0 0 16 16");
    ring.setAttribute("class", "meter-ring");
    ring.setAttribute("aria-hidden", "true");
    const track = circle("meter-track");
    this.#arc = circle("meter-arc");
    this.#tick = circle("meter-tick");
    ring.append(track, this.#arc, this.#tick);
    this.#meter = h(
      "div",
      { class: "meter", role: "meter", "aria-label": t("Context used"), "aria-valuemin": 0 },
      ring,
      this.#text,
      this.#tokens,
    );
    this.#button = h("button", {
      type: "button",
      class: "meter-button",
      "aria-label": t("Inspect context"),
      click: inspect,
    });
    this.element = h("div", { class: "meter-box" }, this.#meter, this.#button);
  }

  update(context: ContextView | null): void {
    show(this.element, context !== null);
    if (!context) return;
    const reading = readMeter(context);
    setAttribute(this.#meter, "aria-valuemax", Math.max(1, context.window));
    setAttribute(this.#meter, "aria-valuenow", Math.min(context.tokens ?? 0, Math.max(1, context.window)));
    setAttribute(this.#meter, "aria-valuetext", reading.text);
    setAttribute(this.#button, "title", reading.details);
    setText(this.#text, reading.short);
    setText(
      this.#tokens,
      context.tokens === null ? "" : `${formatTokens(context.tokens)} / ${formatTokens(context.window)}`,
    );
    this.element.dataset.level = reading.level;
    const length = ROUND * (reading.share ?? 0);
    setAttribute(this.#arc, "stroke-dasharray", `${length.toFixed(2)} ${ROUND.toFixed(2)}`);
    const at =
      context.threshold === null || context.window <= 0 ? null : Math.min(1, context.threshold / context.window);
    setAttribute(this.#tick, "visibility", at === null ? "hidden" : "visible");
    setAttribute(this.#tick, "stroke-dasharray", `1.2 ${ROUND.toFixed(2)}`);
    setAttribute(this.#tick, "stroke-dashoffset", (-ROUND * (at ?? 0) + 1.2).toFixed(2));
  }
}

function circle(className: string): SVGCircleElement {
  const element = document.createElementNS(SVG, "circle");
  element.setAttribute("class", className);
  element.setAttribute("cx", "8");
  element.setAttribute("cy", "8");
  element.setAttribute("r", String(RADIUS));
  return element;
}
