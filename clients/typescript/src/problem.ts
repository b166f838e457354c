/** ProblemBody is what a server answers when it refuses a call, as RFC 9457 has it. */
export interface ProblemBody {
  type?: string;
  title?: string;
  status?: number;
  /** The stable name of what went wrong; docs/errors.md lists them. */
  code: string;
  /** What happened here, and what to do about it. */
  detail: string;
  fix?: string;
  /** The member of the request that it is about, if it is about one. */
  field?: string;
  /** The name of the call in the server's log. */
  request_id?: string;
  /** In how many seconds to come again. */
  retry_after?: number;
  /** The places of a document that break a rule. */
  problems?: unknown[];
  [more: string]: unknown;
}

/** Problem is the error of a call that the server refused. Programs decide by its code. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly fix: string;
  readonly field: string | undefined;
  readonly requestId: string | undefined;
  /** How long the server asks to wait, in milliseconds, or 0. */
  readonly retryAfter: number;
  /** The whole of what was answered. */
  readonly body: ProblemBody;

  constructor(status: number, body: ProblemBody, retryAfter = 0) {
    super(`${body.detail} [${body.code}]`);
    this.status = status;
    this.code = body.code;
    this.title = body.title ?? "";
    this.detail = body.detail;
    this.fix = body.fix ?? "";
    this.field = body.field;
    this.requestId = body.request_id;
    this.retryAfter = retryAfter;
    this.body = body;
  }
}

/**
 * NoAnswer is the error of a call that nothing came back from: the server cannot be
 * reached, the connection broke, or the time was over. Nobody knows whether it was done.
 */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

/** longest is the most that a server may ask to wait. */
const longest = 3600_000;

/** problemOf reads what a server refused with. What is no problem of its own becomes one. */
export function problemOf(status: number, retryAfter: string | null, text: string): Problem {
  let body: ProblemBody | undefined;
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === "object" && read !== null && typeof (read as ProblemBody).code === "string") body = read as ProblemBody;
  } catch {
    // It was no JSON: a proxy between here and the server has answered.
  }
  body ??= { code: `http_${status}`, title: "", detail: `the server answered ${status}: ${text.slice(0, 200)}` };
  body.detail ??= body.title ?? "";
  return new Problem(status, body, waitOf(retryAfter));
}

/** waitOf reads Retry-After, which is in seconds or a date. */
function waitOf(header: string | null): number {
  if (header === null || header.trim() === "") return 0;
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(wait) && wait > 0 ? Math.min(wait, longest) : 0;
}
