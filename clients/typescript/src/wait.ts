import { NoAnswer, Problem } from "./problem.js";

/** Attempts say how often something is tried, and how long is waited between, in milliseconds. */
export interface Attempts {
  attempts: number;
  minWait: number;
  maxWait: number;
}

/** Again decides whether a call is tried once more. */
export class Again {
  #attempt = 0;
  readonly #o: Attempts;

  constructor(o: Attempts) {
    this.#o = o;
  }

  /** reset restarts the waits after a success. */
  reset(): void {
    this.#attempt = 0;
  }

  /**
   * after returns how long to wait before the next attempt, or undefined if there is none.
   * Harmless is what may be done twice.
   */
  after(error: unknown, harmless: boolean): number | undefined {
    this.#attempt++;
    if (this.#attempt >= this.#o.attempts) return undefined;
    const wait = this.backoff();
    if (error instanceof Problem) {
      // These were refused before anything was done; of what is over a quota no waiting helps.
      const refused = (error.status === 429 || error.status === 503) && error.code !== "over_quota";
      return refused || (harmless && error.status >= 500) ? Math.max(wait, error.retryAfter) : undefined;
    }
    return harmless && error instanceof NoAnswer ? wait : undefined;
  }

  /** backoff is twice as long as after the attempt before, and a part of that at random, so that many do not come at once. */
  backoff(): number {
    const wait = Math.min(this.#o.minWait * 2 ** Math.min(Math.max(this.#attempt - 1, 0), 20), this.#o.maxWait);
    return wait / 2 + (Math.random() * wait) / 2;
  }
}

/** sleep waits, or throws the reason of the signal. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const ended = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", ended);
      resolve();
    }, ms);
    signal?.addEventListener("abort", ended, { once: true });
  });
}

/** Limit is a signal that ends with another one, or when its time is over. */
export interface Limit {
  signal: AbortSignal;
  /** Whether the time was over. */
  readonly over: boolean;
  end(): void;
}

/** within returns a limit; 0 ms are any time. */
export function within(outer: AbortSignal | undefined, ms: number): Limit {
  outer?.throwIfAborted();
  const inner = new AbortController();
  let over = false;
  const ended = (): void => inner.abort(outer?.reason);
  outer?.addEventListener("abort", ended, { once: true });
  const timer =
    ms > 0
      ? setTimeout(() => {
          over = true;
          inner.abort(new NoAnswer("the time is over"));
        }, ms)
      : undefined;
  return {
    signal: inner.signal,
    get over() {
      return over;
    },
    end() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", ended);
    },
  };
}
