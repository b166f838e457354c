import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** Seen is a request that came, with its whole body unless the handler reads it. */
export interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  body: string;
}

/** Handler answers a request. */
export type Handler = (seen: Seen, response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

/** serve starts a server that ends with the test, and returns its address. */
export async function serve(t: TestContext, handler: Handler, options: { whole?: boolean } = {}): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? "/", "http://localhost");
      let body = "";
      if (options.whole !== false) {
        request.setEncoding("utf8");
        for await (const part of request) body += part as string;
      }
      await handler({ method: request.method ?? "", path: url.pathname, query: url.searchParams, headers: request.headers, body }, response, request);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** json answers with a document. */
export function json(response: ServerResponse, body: unknown, status = 200, headers: { [name: string]: string } = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** refuse answers with a problem. */
export function refuse(response: ServerResponse, status: number, code: string, headers: { [name: string]: string } = {}): void {
  response.writeHead(status, { "content-type": "application/problem+json", ...headers });
  response.end(JSON.stringify({ status, code, title: "A title.", detail: "told to", fix: "nothing", field: "query", request_id: "r-1" }));
}
