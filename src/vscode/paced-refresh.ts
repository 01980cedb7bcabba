// When a view of the session is drawn again: at most twice a second, all that came together in one go.

/** The editor waits for 200 ms of silence before it draws again: a view under more than two a second starves. */
export const REFRESH_MS = 500;

export class PacedRefresh {
  readonly #work: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #lastAt = 0;
  #running: Promise<void> = Promise.resolve();

  constructor(work: () => Promise<void>, onError: (error: unknown) => void) {
    this.#work = work;
    this.#onError = onError;
  }

  /** Runs the work when half a second went by since the last time; at once where it did. */
  soon(): void {
    this.#timer ??= setTimeout(() => void this.now(), Math.max(0, this.#lastAt + REFRESH_MS - Date.now()));
  }

  /** Runs the work now: what a person asked for does not wait. */
  async now(): Promise<void> {
    this.dispose();
    this.#lastAt = Date.now();
    // One after the other: what is told last is what was true last.
    this.#running = this.#running.then(() => this.#work()).catch(this.#onError);
    await this.#running;
    this.#lastAt = Date.now();
  }

  /** The view was drawn without this being asked: the next time is half a second from now. */
  drawn(): void {
    this.#lastAt = Date.now();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
