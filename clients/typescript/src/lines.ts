import type { HMXEvent } from "./hmx.js";

/** Line is a line of a stream: a document, or its text as it is. */
export type Line = HMXEvent | object | string;

/** byteStream turns lines into a body. What the source throws is put into failed, and ends the body. */
export function byteStream(lines: AsyncIterable<Line> | Iterable<Line>, source: { failed: unknown }): ReadableStream<Uint8Array> {
  const iterator = Symbol.asyncIterator in lines ? lines[Symbol.asyncIterator]() : lines[Symbol.iterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await iterator.next();
        if (next.done === true) {
          controller.close();
          return;
        }
        const line = typeof next.value === "string" ? next.value.replace(/\r?\n$/, "") : JSON.stringify(next.value);
        controller.enqueue(encoder.encode(line + "\n"));
      } catch (error) {
        source.failed = error;
        controller.error(error);
      }
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

/** longest is how long one line may be. */
const longest = 256 << 20;

/** linesOf reads the lines of a body, without their ends. The body is let go when the reader stops. */
export async function* linesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string, void, void> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let size = 0;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      let text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n")) {
        yield (parts.join("") + text.slice(0, at)).replace(/\r$/, "");
        parts = [];
        size = 0;
        text = text.slice(at + 1);
      }
      parts.push(text);
      size += text.length;
      if (size > longest) throw new RangeError(`a line has more than ${longest} characters`);
      if (done) {
        const last = parts.join("");
        if (last !== "") yield last;
        return;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined); // it may have failed already
  }
}
