// Package httpapi serves the operation table over HTTP, ingests events by single calls, as
// lines and by WebSocket, and streams new events. docs/formats/http.md describes the messages.
//
// # What is guaranteed
//
//   - An event that an answer, a progress line or an acknowledgement calls accepted is
//     on the disk, and every call that begins afterwards sees it.
//   - Every path checks host and origin first, and answers a page or a name that it
//     does not know with an error alone.
//   - The credential determines the caller. It is required on every path except those
//     of [Options.Open], /healthz, /readyz and /openapi.json, before the body is read.
//   - Every error is a problem of RFC 9457 with a code of the catalogue.
//   - Memory for bodies and streams is bounded, in total and for each tenant. A stream
//     that comes too fast is read more slowly, not buffered.
//   - After [Server.Drain] every event that arrived complete is acknowledged or
//     refused.
//   - Neither tokens nor texts are logged.
//
// # What is not
//
// It does not listen: [Server.HTTP] returns a configured server, and its caller handles
// listeners, certificates and shutdown.
package httpapi
