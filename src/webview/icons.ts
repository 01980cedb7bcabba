// Draws the page's icons: line drawings on a 16-unit grid in the text's colour.

const PATHS = {
  add: "M8 3v10M3 8h10",
  attach: "M10.8 5.2 6.3 9.7a1.3 1.3 0 0 0 1.9 1.9l5-5a2.7 2.7 0 0 0-3.8-3.8L4.2 8a4.1 4.1 0 0 0 5.8 5.8l3.6-3.6",
  check: "m3.5 8.5 3 3 6-7",
  chevronUp: "m4 10 4-4 4 4",
  chevronDown: "m4 6 4 4 4-4",
  chevronLeft: "M10 4 6 8l4 4",
  chevronRight: "m6 4 4 4-4 4",
  circleSlash: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M4.2 11.8l7.6-7.6",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5v3.2l2 1.3",
  close: "m4.5 4.5 7 7M11.5 4.5l-7 7",
  compact: "M8 2v4M6 4.5 8 6.5l2-2M8 14v-4M6 11.5l2-2 2 2M3 8h10",
  copy: "M6 5.5h6.5V13H6zM9.5 5.5V3H3.5v7.5H6",
  diff: "M5.5 2.5h5l2.5 2.5v8.5h-10v-11zM8 5.5v4M6 7.5h4M6 11.5h4",
  dot: "M8 7.2a.8.8 0 1 0 0 1.6.8.8 0 0 0 0-1.6",
  edit: "m3 13 .8-3L10.7 3a1 1 0 0 1 1.4 0l.9.9a1 1 0 0 1 0 1.4L6 12.2zM9.5 4.3l2.2 2.2",
  error: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M6 6l4 4M10 6l-4 4",
  file: "M4 2.5h5.2L12.5 6v7.5H4zM9 2.8V6h3.3",
  fork: "M5 4.8v2.4c0 .9.6 1.4 1.4 1.4h3.2c.8 0 1.4-.5 1.4-1.4V4.8M8 8.6v2.6M5 2.4a1.2 1.2 0 1 0 0 2.4 1.2 1.2 0 0 0 0-2.4M11 2.4a1.2 1.2 0 1 0 0 2.4 1.2 1.2 0 0 0 0-2.4M8 11.2a1.2 1.2 0 1 0 0 2.4 1.2 1.2 0 0 0 0-2.4",
  info: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 7.3v3.4M8 5.2v.4",
  insert: "M3 3.5h10M3 12.5h10M6.5 8H13M3 6.3 4.8 8 3 9.7",
  label: "M2.8 3h4.8l5.6 5.6-4.6 4.6L3 7.6zM5.4 5.6v.1",
  model: "M8 2.6 12.7 5.3v5.4L8 13.4l-4.7-2.7V5.3zM3.5 5.4 8 8l4.5-2.6M8 8v5.2",
  retry: "M12.8 8A4.8 4.8 0 1 1 11.2 4.4M11.4 2v2.7H8.7",
  search: "M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8M10 10l3.4 3.4",
  send: "M8 13V3.5M4 7.3l4-4 4 4",
  shield: "M8 2.3 13 4v4c0 3-2.2 4.9-5 5.8C5.2 12.9 3 11 3 8V4z",
  spinner: "M8 2.5A5.5 5.5 0 1 1 2.5 8",
  stop: "M4.5 4.5h7v7h-7z",
  terminal: "M2.5 3.5h11v9h-11zM4.8 6.2 6.8 8l-2 1.8M8.2 10.2h2.8",
  thinking: "M6.3 11.6h3.4M6.8 13.4h2.4M6.3 11.6c0-1.5-2-2.2-2-4.9a3.7 3.7 0 0 1 7.4 0c0 2.7-2 3.4-2 4.9",
  tool: "M9.3 5.5a3 3 0 0 1 3.9-2.8L11.4 4.5l.3 1.2 1.2.3 1.5-1.5a3 3 0 0 1-3.7 3.7L5.6 13.3a1.3 1.3 0 0 1-1.9-1.9l5.3-5.2a3 3 0 0 1 .3-.7",
  undo: "M3 6.3h6.5a3.2 3.2 0 0 1 0 6.4H6M5.5 3.5 2.8 6.3l2.7 2.7",
  warning: "M8 2.8 14 13H2zM8 6.5v3M8 11v.4",
  wand: "m3 13 7.5-7.5M11.5 2v2.5M11.5 7v2M8.5 4.5H10M13 4.5h1.5",
  branch:
    "M5 5v6M5 2.6a1.2 1.2 0 1 0 0 2.4 1.2 1.2 0 0 0 0-2.4M5 11a1.2 1.2 0 1 0 0 2.4A1.2 1.2 0 0 0 5 11M11 4a1.2 1.2 0 1 0 0 2.4A1.2 1.2 0 0 0 11 4M11 6.4c0 2-1.5 2.6-3 2.6s-3 .5-3 2",
} as const;

export type IconName = keyof typeof PATHS;

const SVG = "http://www.w3.org/2000/svg";

/** An icon that assistive tools skip; the name stands beside it or on its button. */
export function icon(name: IconName, className = ""): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `icon icon-${name} ${className}`.trim());
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.appendChild(path);
  return svg;
}

/** The mark of Coppice: shoots from one stool, as in `media/activity-bar.svg`. */
export function mark(): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "mark");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  for (const d of MARK_PATHS) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.appendChild(path);
  }
  return svg;
}

const MARK_PATHS = [
  "M7 20.5h10",
  "M12 20.5V8.2",
  "M10 20.5C10 15.5 6 15 6 11.7",
  "M14 20.5C14 15.5 18 15 18 11.7",
  "M12 8.2c-1.9-1.7-1.9-4.2 0-6.2 1.9 2 1.9 4.5 0 6.2z",
  "M6 11.7c-2.5-.5-3.4-2.8-2.7-5.4 2.6.9 3.7 3 2.7 5.4z",
  "M18 11.7c2.5-.5 3.4-2.8 2.7-5.4-2.6.9-3.7 3-2.7 5.4z",
];
