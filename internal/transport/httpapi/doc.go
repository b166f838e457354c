// Package httpapi serves the operation table over HTTP, takes events in by single calls,
// as lines and by WebSocket, and streams new ones out. docs/formats/http.md describes
// what travels.
//
// # What is guaranteed
//
//   - What an answer, a progress line or an acknowledgement calls accepted is on the
//     disk, and every call that begins afterwards sees it.
//   - Every address asks for host and origin first, and answers nothing else to a page
//     or a name that it does not know.
//   - Who calls is what the credential says. It is asked for at every address but those
//     of [Options.Open], /healthz, /readyz and /openapi.json, before anything of the
//     body is read.
//   - Every error is a problem of RFC 9457 with a code of the catalogue.
//   - What is held in memory for bodies and streams is bounded, for each tenant too.
//     A stream that comes too fast is not read, rather than held.
//   - After [Server.Drain] everything that was sent whole is acknowledged or refused.
//   - Neither tokens nor texts are logged.
//
// # What is not
//
// It does not listen: [Server.HTTP] returns a server that is set up for it, and whoever
// runs it has the listeners, certificates and the way down.
package httpapi
