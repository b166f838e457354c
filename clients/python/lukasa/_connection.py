"""Connections to one server, kept open between calls."""

from __future__ import annotations

import http.client
import selectors
import socket
import ssl
import threading
import urllib.parse
from typing import Any, Dict, Iterable, List, Optional, Union

from ._problem import NoAnswer

Body = Union[None, bytes, Iterable[bytes]]

# What a connection that is no good any more, or a server that is not there, throws.
BROKEN = (OSError, http.client.HTTPException)

# How many connections are kept that are not in use.
_KEPT = 16


class Connections:
    """Connections hands out connections. It may be used by many threads."""

    def __init__(self, address: str, context: Optional[ssl.SSLContext]) -> None:
        parts = urllib.parse.urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("%r is not an address such as http://127.0.0.1:8373" % address)
        if parts.username is not None or parts.query:
            raise ValueError("a credential does not belong into the address; use token")
        self._host, self._port, self._tls = parts.hostname, parts.port, parts.scheme == "https"
        self._context = context
        self.prefix = parts.path.rstrip("/")
        self._idle: List[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def take(self, timeout: Optional[float]) -> http.client.HTTPConnection:
        """Returns a connection that is open still, or a new one."""
        while True:
            with self._lock:
                found = self._idle.pop() if self._idle else None
            if found is None:
                break
            # One that can be read from without a request was closed by the server.
            if found.sock is not None and not _readable(found.sock):
                found.timeout = timeout
                found.sock.settimeout(timeout)
                return found
            found.close()
        return self.new(timeout)

    def new(self, timeout: Optional[float]) -> http.client.HTTPConnection:
        """Returns a connection that nobody had before."""
        if self._tls:
            return http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._context)
        return http.client.HTTPConnection(self._host, self._port, timeout=timeout)

    def give(self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse) -> None:
        """Takes a connection back whose answer was read."""
        with self._lock:
            if not answer.will_close and len(self._idle) < _KEPT:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Lets go of connections that are not in use."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def send(self, connection: http.client.HTTPConnection, method: str, target: str, headers: Dict[str, str], body: Body) -> http.client.HTTPResponse:
        """Sends a request and returns its answer before it is read. What goes wrong is NoAnswer,
        but for what making the body throws."""
        source: List[BaseException] = []
        try:
            chunked = body is not None and not isinstance(body, bytes)
            try:
                sent: Any = _watched(body, source) if chunked else body  # type: ignore[arg-type]
                connection.request(method, self.prefix + target, body=sent, headers=headers, encode_chunked=chunked)
            except (BrokenPipeError, ConnectionResetError):
                pass  # a server that has answered already does not read on
            if source:
                raise source[0]
            return connection.getresponse()
        except BROKEN as error:
            connection.close()
            if source:
                raise
            raise NoAnswer("no answer: %s" % (error or type(error).__name__)) from error
        except BaseException:
            connection.close()
            raise


def _watched(body: Iterable[bytes], failed: List[BaseException]) -> Iterable[bytes]:
    """Yields a body, and keeps what making it throws."""
    try:
        yield from body
    except GeneratorExit:
        raise
    except BaseException as error:
        failed.append(error)
        raise


def _readable(sock: socket.socket) -> bool:
    """Says whether there is something to read. Not by select, which knows 1,024 descriptors."""
    with selectors.DefaultSelector() as selector:
        selector.register(sock, selectors.EVENT_READ)
        return bool(selector.select(0))
