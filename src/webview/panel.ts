// What the pages of editor tabs share: the connection to the host, and elements of SVG.

interface PanelApi<Out> {
  postMessage(message: Out): void;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): unknown;

/**
 * Connects to the host; call it once per page. The listener hears every message that has a type; what the host needs to
 * fill the tab when the window starts again is kept.
 */
export function connectPanel<In extends { type: string; restore?: unknown }, Out>(
  listener: (message: In) => void,
): (message: Out) => void {
  const api = acquireVsCodeApi() as PanelApi<Out>;
  window.addEventListener("message", (event: MessageEvent<In>) => {
    if (typeof event.data !== "object" || event.data === null || !("type" in event.data)) return;
    if (event.data.restore !== undefined) api.setState(event.data.restore);
    listener(event.data);
  });
  return (message) => api.postMessage(message);
}

const SVG = "http://www.w3.org/2000/svg";

/** An element of a drawing. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number> = {},
  ...children: Node[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
