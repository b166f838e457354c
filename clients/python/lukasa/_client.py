"""The client of a server."""

from __future__ import annotations

import http.client
import json
import ssl
import time
import urllib.parse
from typing import Any, Callable, Dict, Generator, Iterable, Iterator, List, NamedTuple, Optional, Union, cast

from ._connection import BROKEN, Body, Connections
from ._hmx import Event
from ._operations import ROUTES, Intake, OperationMethods, Route
from ._options import CallOptions, tag_of
from ._problem import NoAnswer, Problem, problem_of
from ._socket import Ack, Socket, WebSocket
from ._tail import Tailed, tail
from ._wait import Again

# How much of an answer is read.
_MAX_ANSWER = 256 << 20

# The most bytes that are read at once, and the most bytes of lines that are sent at once.
_CHUNK = 32 << 10

_NO_OPTIONS = CallOptions()

#: A line of a stream: a document, or its text as it is.
Line = Union[Dict[str, Any], Event, str, bytes]


class Answer(NamedTuple):
    """Answer is what was answered, and what was said about it."""

    #: What was answered; None if not_modified.
    data: Any
    status: int
    #: Names what was answered, or the version that was written.
    etag: Optional[str]
    #: What the caller has still holds.
    not_modified: bool
    request_id: Optional[str]


class Exchange(NamedTuple):
    """Exchange is one request, as it travels."""

    method: str
    target: str
    body: Optional[bytes]
    # Doing it twice is the same as doing it once.
    again: bool


class Lukasa(OperationMethods):
    """Lukasa calls one server. It may be used by many threads.

    A call that is answered was done, and what it wrote is on the server's disk. A call is
    repeated by itself only where that does no harm: reads, events (which are known by their
    ids), and what the server refused without doing anything. What the server refuses is
    raised as Problem, what nothing is known of as NoAnswer.
    """

    def __init__(
        self,
        address: str,
        *,
        token: Optional[str] = None,
        tenant: Optional[str] = None,
        scope: Optional[str] = None,
        attempts: int = 5,
        min_wait: float = 0.1,
        max_wait: float = 10.0,
        timeout: Optional[float] = 60.0,
        context: Optional[ssl.SSLContext] = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """The address is such as http://127.0.0.1:8373. Nothing is sent yet.

        token is the credential: a key, the operator's own token, or a scope token. tenant is
        the one that an operator deals with; scope a token that narrows what is seen and
        written. A call is tried attempts times at most, with waits between min_wait and
        max_wait seconds unless the server asks for longer. timeout is how many seconds the
        server may be silent. context is for TLS, sleep is what waits.
        """
        self._connections = Connections(address, context)
        self._token, self._tenant, self._scope = token, tenant, scope
        self._attempts, self._min_wait, self._max_wait = attempts, min_wait, max_wait
        self._timeout, self._sleep = timeout, sleep

    def close(self) -> None:
        """Lets go of connections that are not in use."""
        self._connections.close()

    def __enter__(self) -> "Lukasa":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, name: str, fields: Optional[Dict[str, Any]] = None, options: Optional[CallOptions] = None) -> Any:
        """Asks an operation by its name. The fields are those of the operation, wherever they
        belong; those that are None are left out."""
        return self.ask(name, fields, options).data

    def ask(self, name: str, fields: Optional[Dict[str, Any]] = None, options: Optional[CallOptions] = None) -> Answer:
        """call, with what was said about the answer: its ETag, and whether it was modified."""
        if name not in ROUTES:
            raise ValueError("there is no operation %r" % name)
        options = options or _NO_OPTIONS
        response, body = self._exchange(_exchange_of(name, ROUTES[name], fields or {}), options)
        not_modified = response.status == 304
        data: Any = None
        if not not_modified:
            data = json.loads(body) if "json" in (response.getheader("Content-Type") or "") else body.decode("utf-8")
        return Answer(data, response.status, response.getheader("ETag"), not_modified, response.getheader("X-Request-Id"))

    def append(self, *events: Event, options: Optional[CallOptions] = None) -> Intake:
        """Records events. Valid ones are recorded even if others are refused; the answer lists
        both. An event that is already recorded is a duplicate, so sending it again is
        harmless."""
        return cast(Intake, self.call("ingest", {"document": list(events)}, options))

    def ingest(self, lines: Iterable[Line], *, options: Optional[CallOptions] = None) -> Intake:
        """Records a stream of events of any length, one per line: events or lines as they come. A
        bad line does not affect the others. It is sent once: to retry, send the stream from its
        beginning; what was recorded is then a duplicate."""
        return cast(Intake, self._send("/v1/events", lines, options or _NO_OPTIONS))

    def import_lines(self, lines: Iterable[Line], *, options: Optional[CallOptions] = None) -> Dict[str, Any]:
        """Imports what export_lines wrote."""
        return cast(Dict[str, Any], self._send("/v1/import", lines, options or _NO_OPTIONS))

    def export_lines(self, *, options: Optional[CallOptions] = None) -> Generator[str, None, None]:
        """Gives everything the tenant has, as lines of JSON."""
        options = options or _NO_OPTIONS
        connection = self._connections.take(options.timeout or self._timeout)
        try:
            response = self._open(connection, "GET", "/v1/export", self._headers(options), None)
            rest = b""
            # Iterating over the response would take a stream that broke off for one that ended.
            for part in _parts(response):
                *lines, rest = (rest + part).split(b"\n")
                for line in lines:
                    yield line.decode("utf-8").rstrip("\r")
            if rest:
                yield rest.decode("utf-8")
        except BROKEN as error:
            raise NoAnswer("the export broke off: %s" % error) from error
        finally:
            connection.close()

    def tail(
        self,
        *,
        session: Optional[str] = None,
        agent: Optional[str] = None,
        type: Optional[str] = None,
        from_: Optional[int] = None,
        silence: float = 60.0,
        options: Optional[CallOptions] = None,
    ) -> Generator[Tailed, None, None]:
        """Gives each new event as it is recorded, in order and each once, until the loop ends. It
        connects again when the connection is lost and goes on where it was. silence is how many
        seconds nothing may come before the connection is taken for lost; a server says something
        every 15 s."""
        query = {"session": session, "agent": agent, "type": type, "from": from_}
        target = "/v1/events/stream" + _query_of({k: v for k, v in query.items() if v is not None})
        again = Again(self._attempts, self._min_wait, self._max_wait)
        options = options or _NO_OPTIONS

        def connect(last: str) -> "tuple[http.client.HTTPConnection, http.client.HTTPResponse]":
            headers = dict(self._headers(options or _NO_OPTIONS), Accept="text/event-stream")
            if last:
                headers["Last-Event-ID"] = last
            connection = self._connections.take(silence)
            return connection, self._open(connection, "GET", target, headers, None)

        return tail(connect, again, self._sleep)

    def open_socket(self, *, acked: Optional[Callable[[Ack], None]] = None, in_flight: int = 128, options: Optional[CallOptions] = None) -> Socket:
        """Connects a WebSocket to send events over. acked receives the acknowledgement of each
        event, once each; in_flight is the most events that are sent and not acknowledged."""
        options = options or _NO_OPTIONS
        headers = self._headers(options)
        timeout = options.timeout or self._timeout

        def dial() -> WebSocket:
            connection = self._connections.new(timeout)
            try:
                web = WebSocket(connection, self._connections.prefix + "/v1/ingest/ws", headers)
            except BROKEN as error:
                connection.close()
                raise NoAnswer("no answer: %s" % error) from error
            if not web.upgraded:
                problem = problem_of(web.answer.status, web.answer.getheader("Retry-After"), _read(connection, web.answer))
                connection.close()
                raise problem
            return web

        again = Again(options.attempts or self._attempts, self._min_wait, self._max_wait)
        return Socket(dial, again, self._sleep, acked, in_flight)

    def pages(self, name: str, fields: Optional[Dict[str, Any]] = None, options: Optional[CallOptions] = None) -> Iterator[Any]:
        """Gives the elements of an operation that answers in pages, such as list_memories. A page
        is asked for when it is needed."""
        fields = dict(fields or {})
        while True:
            page = self.call(name, fields, options)
            if not isinstance(page, dict) or "next" not in page:
                raise ValueError("%s does not answer in pages" % name)
            for part in page.values():
                if isinstance(part, list):
                    yield from part
            if page["next"] is None:
                return
            fields["after"] = page["next"]

    def _headers(self, options: CallOptions) -> Dict[str, str]:
        """Says who calls, for what."""
        every = {
            "Authorization": "Bearer " + self._token if self._token else None,
            "X-Lukasa-Tenant": options.tenant or self._tenant,
            "X-Lukasa-Scope": options.scope or self._scope,
            "X-Request-Id": options.request_id,
            "If-Match": None if options.if_match is None else tag_of(options.if_match),
            "If-None-Match": None if options.if_none_match is None else tag_of(options.if_none_match),
        }
        return {name: value for name, value in every.items() if value}

    def _exchange(self, exchange: Exchange, options: CallOptions) -> "tuple[http.client.HTTPResponse, bytes]":
        """Sends a request and returns its answer, after as many attempts as it takes."""
        again = Again(options.attempts or self._attempts, self._min_wait, self._max_wait)
        while True:
            try:
                return self._once(exchange, options)
            except (Problem, NoAnswer) as error:
                wait = again.after(error, exchange.again)
                if wait is None:
                    raise
            self._sleep(wait)

    def _once(self, exchange: Exchange, options: CallOptions) -> "tuple[http.client.HTTPResponse, bytes]":
        headers = self._headers(options)
        if exchange.body is not None:
            headers["Content-Type"] = "application/json"
        connection = self._connections.take(options.timeout or self._timeout)
        response = self._open(connection, exchange.method, exchange.target, headers, exchange.body)
        body = _read(connection, response)
        self._connections.give(connection, response)
        return response, body

    def _open(self, connection: http.client.HTTPConnection, method: str, target: str, headers: Dict[str, str], body: Body) -> http.client.HTTPResponse:
        """Sends a request once. What the server refuses is raised."""
        response = self._connections.send(connection, method, target, headers, body)
        if response.status < 300 or response.status == 304:
            return response
        answer = _read(connection, response)
        if body is None or isinstance(body, bytes):
            self._connections.give(connection, response)
        else:
            connection.close()
        raise problem_of(response.status, response.getheader("Retry-After"), answer)

    def _send(self, target: str, lines: Iterable[Line], options: CallOptions) -> Any:
        """Sends a body while it is made, once."""
        headers = self._headers(options)
        headers["Content-Type"] = "application/x-ndjson"
        headers["Transfer-Encoding"] = "chunked"
        connection = self._connections.take(options.timeout or self._timeout)
        try:
            response = self._open(connection, "POST", target, headers, _bytes_of(lines))
            return json.loads(_read(connection, response))
        finally:
            connection.close()


def _parts(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """Reads an answer in pieces: older versions of Python make room for as much as is asked for.
    One that breaks off raises IncompleteRead."""
    while True:
        part = response.read(_CHUNK)
        if not part:
            if response.length:
                raise http.client.IncompleteRead(b"", response.length)
            return
        yield part


def _read(connection: http.client.HTTPConnection, response: http.client.HTTPResponse) -> bytes:
    """Reads an answer."""
    parts: List[bytes] = []
    size = 0
    try:
        for part in _parts(response):
            parts.append(part)
            size += len(part)
            if size > _MAX_ANSWER:
                connection.close()
                raise ValueError("the answer has more than %d bytes" % _MAX_ANSWER)
    except BROKEN as error:
        connection.close()
        raise NoAnswer("the answer broke off: %s" % error) from error
    return b"".join(parts)


def _bytes_of(lines: Iterable[Line]) -> Iterator[bytes]:
    """Turns lines into pieces of a body."""
    parts: List[bytes] = []
    size = 0
    for line in lines:
        if isinstance(line, str):
            text = line.encode("utf-8")
        elif isinstance(line, bytes):
            text = line
        else:
            text = _json(line)
        parts.append(text.rstrip(b"\r\n") + b"\n")
        size += len(parts[-1])
        if size >= _CHUNK:
            yield b"".join(parts)
            parts, size = [], 0
    if parts:
        yield b"".join(parts)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")


def _query_of(fields: Dict[str, Any]) -> str:
    plain = {name: json.dumps(value) if isinstance(value, bool) else str(value) for name, value in fields.items()}
    return "?" + urllib.parse.urlencode(plain) if plain else ""


def _exchange_of(name: str, route: Route, fields: Dict[str, Any]) -> Exchange:
    """Puts the fields of a request where they belong."""
    rest = {field: value for field, value in fields.items() if value is not None}
    path = route.path
    for field in route.in_path:
        value = rest.pop(field, "")
        if value == "":
            raise ValueError("%s: %s is missing" % (name, field))
        path = path.replace("{%s}" % field, urllib.parse.quote(str(value), safe=""))
    query = {field: rest.pop(field) for field in route.in_query if field in rest}
    # An event that is complete is recorded once, however often it is sent.
    again = route.again or (name == "record_event" and all(field in rest for field in ("event_id", "timestamp", "sequence")))
    body: Optional[bytes] = None
    if route.body == "document":
        body = _json(rest.pop("document", {}))
    elif route.body == "fields":
        body, rest = _json(rest), {}
    if rest:
        raise ValueError("%s: there is no field %s" % (name, next(iter(rest))))
    return Exchange(route.method, path + _query_of(query), body, again)
