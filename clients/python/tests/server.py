"""Servers for tests."""

import contextlib
import json
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional


class Seen(NamedTuple):
    """A request that came."""

    method: str
    path: str
    query: Dict[str, str]
    headers: Any
    body: bytes


class Exchange(BaseHTTPRequestHandler):
    """One request, and what it is answered with."""

    protocol_version = "HTTP/1.1"
    handle_with: Callable[["Exchange", Seen], None]
    whole = True

    def do_GET(self) -> None:
        url = urllib.parse.urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))) if self.whole else b""
        if self.whole and self.headers.get("Transfer-Encoding") == "chunked":
            body = b"".join(self.chunks())
        type(self).handle_with(self, Seen(self.command, url.path, dict(urllib.parse.parse_qsl(url.query)), self.headers, body))

    do_POST = do_PUT = do_DELETE = do_GET

    def chunks(self) -> Iterator[bytes]:
        """Reads a body that comes in pieces."""
        while True:
            size = int(self.rfile.readline(), 16)
            part = self.rfile.read(size)
            self.rfile.readline()
            if size == 0:
                return
            yield part

    def json(self, body: Any, status: int = 200, headers: Optional[Dict[str, str]] = None, media: str = "application/json") -> None:
        self.raw(json.dumps(body).encode(), status, {"Content-Type": media, **(headers or {})})

    def raw(self, body: bytes, status: int = 200, headers: Optional[Dict[str, str]] = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status: int, code: str, headers: Optional[Dict[str, str]] = None) -> None:
        body = {"status": status, "code": code, "title": "A title.", "detail": "told to", "fix": "nothing", "field": "query", "request_id": "r-1"}
        self.json(body, status, headers, "application/problem+json")

    def hang_up(self) -> None:
        """Ends the connection without an answer."""
        self.close_connection = True
        self.connection.close()

    def stream(self, *parts: str) -> None:
        """Answers with events, and ends the connection."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for part in parts:
            self.wfile.write(part.encode())
            self.wfile.flush()
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: Any) -> None:
        pass  # clients that hang up are a part of the tests


@contextlib.contextmanager
def serving(handle: Callable[[Exchange, Seen], None], whole: bool = True) -> Iterator[str]:
    """Runs a server, and gives its address."""
    handler = type("Handler", (Exchange,), {"handle_with": staticmethod(handle), "whole": whole})
    server = _Server(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield "http://127.0.0.1:%d" % server.server_address[1]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Slept(List[float]):
    """What waits, and only remembers how long."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)
