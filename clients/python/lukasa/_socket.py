"""Events over a WebSocket (RFC 6455)."""

from __future__ import annotations

import base64
import hashlib
import http.client
import json
import os
import struct
from collections import deque
from typing import Any, Callable, Deque, Dict, NamedTuple, Optional, Tuple

from ._connection import BROKEN
from ._problem import NoAnswer, Problem
from ._wait import Again

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

# Kinds of frames.
_MORE, _TEXT, _CLOSE, _PING, _PONG = 0, 1, 8, 9, 10

# How large a message of the server may be.
_MAX_MESSAGE = 1 << 20


class Ack(NamedTuple):
    """Ack says what became of an event."""

    event_id: str
    #: accepted, late, duplicate or refused.
    disposition: str
    #: Where it is on record, unless it was refused.
    position: Optional[int]
    #: Why it was refused.
    code: str
    detail: str


class WebSocket:
    """WebSocket is one connection, which texts are sent over and come from."""

    def __init__(self, connection: http.client.HTTPConnection, target: str, headers: Dict[str, str]) -> None:
        """Asks the server at the other end to speak WebSocket. What it refuses is left to the
        caller: then upgraded is False, and answer is what it said."""
        key = base64.b64encode(os.urandom(16))
        connection.putrequest("GET", target)
        for name, value in {**headers, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key.decode()}.items():
            connection.putheader(name, value)
        connection.endheaders()
        self.answer = connection.getresponse()
        self._connection = connection
        accept = base64.b64encode(hashlib.sha1(key + _GUID).digest()).decode()
        self.upgraded = self.answer.status == 101 and self.answer.getheader("Sec-WebSocket-Accept") == accept

    def send(self, text: bytes, kind: int = _TEXT) -> None:
        """Sends one frame."""
        size = len(text)
        length = struct.pack("!B", 0x80 | size) if size < 126 else struct.pack("!BH", 0x80 | 126, size) if size < 1 << 16 else struct.pack("!BQ", 0x80 | 127, size)
        mask = os.urandom(4)
        wide = int.from_bytes((mask * (size // 4 + 1))[:size], "big") ^ int.from_bytes(text, "big")
        self._connection.sock.sendall(struct.pack("!B", 0x80 | kind) + length + mask + wide.to_bytes(size, "big"))

    def receive(self) -> bytes:
        """Returns the next message. The end of the connection is NoAnswer."""
        message = b""
        while True:
            last, kind, data = self._frame()
            if kind == _PING:
                self.send(data, _PONG)
            elif kind == _CLOSE:
                raise NoAnswer("the server has closed the socket: %s" % data[2:].decode("utf-8", "replace"))
            elif kind in (_TEXT, _MORE):
                message += data
                if len(message) > _MAX_MESSAGE:
                    raise NoAnswer("a message of the server has more than %d bytes" % _MAX_MESSAGE)
                if last:
                    return message

    def _frame(self) -> Tuple[bool, int, bytes]:
        first, second = self._read(2)
        size = second & 0x7F
        if size == 126:
            (size,) = struct.unpack("!H", self._read(2))
        elif size == 127:
            (size,) = struct.unpack("!Q", self._read(8))
        if size > _MAX_MESSAGE:
            raise NoAnswer("a frame of the server has %d bytes" % size)
        return first & 0x80 != 0, first & 0x0F, self._read(size)

    def _read(self, size: int) -> bytes:
        fp: Any = self.answer.fp
        data: bytes = fp.read(size)
        if len(data) < size:
            raise NoAnswer("the socket broke off")
        return data

    def close(self) -> None:
        """Says good-bye, and lets go of the connection."""
        try:
            if self.upgraded:
                self.send(struct.pack("!H", 1000), _CLOSE)
        except BROKEN:
            pass  # it is gone already
        self.answer.close()
        self._connection.close()


class Socket:
    """Socket sends events over a WebSocket, each acknowledged when it is on the server's disk.
    When the connection is lost it connects again and sends what was not acknowledged; the
    server knows events by their ids, so that none is recorded twice. It is for one thread."""

    def __init__(self, dial: Callable[[], WebSocket], again: Again, sleep: Callable[[float], None], acked: Optional[Callable[[Ack], None]], in_flight: int) -> None:
        self._dial, self._again, self._sleep = dial, again, sleep
        self._acked, self._in_flight = acked, in_flight
        self._queue: Deque[Tuple[str, bytes]] = deque()  # not acknowledged, in order
        self._flying: Dict[int, Tuple[str, bytes]] = {}  # of this connection, by number
        self._sent = 0
        self._web: Optional[WebSocket] = None
        self._trying(lambda: None)

    def send(self, event: Any) -> None:
        """Sends an event. It returns when there is room in the queue; acked receives the acknowledgement."""
        while len(self._queue) >= self._in_flight:
            self._trying(self._take)
        frame = (event["event_id"], json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8"))
        self._queue.append(frame)
        if self._web is not None:
            try:
                self._fly(frame)
            except BROKEN as error:
                self._lost(NoAnswer(str(error)))

    def flush(self) -> None:
        """Returns when everything that was sent is acknowledged."""
        while self._queue:
            self._trying(self._take)

    def close(self) -> None:
        """Waits until everything is acknowledged, and ends the socket."""
        try:
            self.flush()
        finally:
            if self._web is not None:
                self._web.close()
                self._web = None

    def __enter__(self) -> "Socket":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _trying(self, work: Callable[[], None]) -> None:
        """Does something over a connection, a new one if need be."""
        try:
            if self._web is None:
                self._web = self._dial()
                self._flying, self._sent = {}, 0
                for frame in self._queue:
                    self._fly(frame)
            work()
        except (*BROKEN, NoAnswer, Problem) as error:
            self._lost(error if isinstance(error, (NoAnswer, Problem)) else NoAnswer(str(error)))

    def _lost(self, error: Exception) -> None:
        """Lets go of a connection and waits, unless it is of no use to try again."""
        if self._web is not None:
            self._web.close()
            self._web = None
        wait = self._again.after(error, True)
        if wait is None:
            raise error
        self._sleep(wait)

    def _fly(self, frame: Tuple[str, bytes]) -> None:
        assert self._web is not None
        self._flying[self._sent] = frame
        self._sent += 1
        self._web.send(frame[1])

    def _take(self) -> None:
        """Takes one acknowledgement in."""
        if self._web is None:
            return
        said = json.loads(self._web.receive())
        if said.get("disposition") == "failed":
            raise NoAnswer("an event was not recorded and is sent again: %s" % said.get("detail"))
        frame = self._flying.pop(said["index"], None)
        if frame is None:
            return
        self._again.reset()
        self._queue.remove(frame)
        if self._acked is not None:
            self._acked(Ack(frame[0], said["disposition"], said.get("position"), said.get("code", ""), said.get("detail", "")))
