// Owns the only acquireVsCodeApi call: messages to and from the host, and the little state that outlives the page.
import type { FromWebview } from "../protocol/from-webview.ts";
import type { ToWebview } from "../protocol/to-webview.ts";

interface VsCodeApi {
  postMessage(message: FromWebview): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

export interface Transport {
  post(message: FromWebview): void;
  /** What `save` kept before the page was destroyed; undefined the first time. Not validated. */
  load(): unknown;
  save(state: unknown): void;
  /** Hands each message of the host to the listener, in order. */
  listen(listener: (message: ToWebview) => void): void;
}

/** Connects to the host; call it once per page. */
export function connect(): Transport {
  const api = acquireVsCodeApi();
  return {
    post: (message) => api.postMessage(message),
    load: () => api.getState(),
    save: (state) => api.setState(state),
    listen: (listener) =>
      window.addEventListener("message", (event: MessageEvent<ToWebview>) => {
        if (typeof event.data === "object" && event.data !== null && "type" in event.data) listener(event.data);
      }),
  };
}
