import base64
import hashlib
import json
import struct
import unittest
from typing import Any, Iterator, List, Tuple

from lukasa import Lukasa, NoAnswer, Problem

from .server import Exchange, Seen, Slept, serving


def event(i: int, text: str = "hello") -> Any:
    return {"event_id": "e%d" % i, "content": {"text": text}}


def frame(text: str, kind: int = 1, last: bool = True) -> bytes:
    """A frame of the server."""
    data = text.encode()
    size = struct.pack("!B", len(data)) if len(data) < 126 else struct.pack("!BH", 126, len(data))
    return bytes([(0x80 if last else 0) | kind]) + size + data


def texts(x: Exchange) -> Iterator[Tuple[int, str]]:
    """Reads the frames of a client, as they come."""
    while True:
        head = x.rfile.read(2)
        if len(head) < 2:
            return
        size = head[1] & 0x7F
        if size == 126:
            (size,) = struct.unpack("!H", x.rfile.read(2))
        elif size == 127:
            (size,) = struct.unpack("!Q", x.rfile.read(8))
        mask = x.rfile.read(4)
        data = x.rfile.read(size)
        yield head[0] & 0x0F, bytes(b ^ mask[i & 3] for i, b in enumerate(data)).decode()


def upgrade(x: Exchange, seen: Seen) -> None:
    key = seen.headers["Sec-WebSocket-Key"].encode() + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    x.send_response(101)
    for name, value in {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": base64.b64encode(hashlib.sha1(key).digest()).decode()}.items():
        x.send_header(name, value)
    x.end_headers()
    x.close_connection = True


class TestSocket(unittest.TestCase):
    def test_what_was_not_acknowledged_is_sent_again(self) -> None:
        came: List[List[str]] = []
        pongs: List[str] = []

        def handle(x: Exchange, seen: Seen) -> None:
            self.assertEqual(seen.headers["Authorization"], "Bearer secret")
            upgrade(x, seen)
            ids: List[str] = []
            came.append(ids)
            x.wfile.write(frame("are you there", 9))
            for kind, text in texts(x):
                pongs.extend([text] if kind == 10 else [])
                if kind != 1:
                    continue
                ids.append(json.loads(text)["event_id"])
                failed = len(came) == 2 and ids[-1] == "e2"
                ack = json.dumps({"index": len(ids) - 1, "event_id": ids[-1], "disposition": "failed" if failed else "accepted", "position": 7, "detail": "x" * 200})
                # In two pieces, of which the second is a continuation.
                x.wfile.write(frame(ack[:10], 1, False) + frame(ack[10:], 0))
                if len(came) == 1 and len(ids) == 2:
                    return x.hang_up()

        acks: List[str] = []
        with serving(handle) as url, Lukasa(url, token="secret", sleep=Slept()) as lukasa:
            with lukasa.open_socket(acked=lambda ack: acks.append(ack.event_id), in_flight=3) as socket:
                for i in range(6):
                    socket.send(event(i, "x" * (1, 200, 70_000)[i % 3]))
        self.assertEqual(sorted(acks), ["e0", "e1", "e2", "e3", "e4", "e5"])
        self.assertIn("are you there", pongs)
        self.assertGreaterEqual(len(came), 3, "a failed event is sent over another connection")

    def test_what_a_server_refuses_is_a_problem(self) -> None:
        with serving(lambda x, _: x.refuse(401, "unauthenticated")) as url, Lukasa(url) as lukasa, self.assertRaises(Problem) as caught:
            lukasa.open_socket()
        self.assertEqual(caught.exception.code, "unauthenticated")

    def test_it_gives_up_when_nothing_helps(self) -> None:
        def handle(x: Exchange, seen: Seen) -> None:
            upgrade(x, seen)
            x.hang_up()

        with serving(handle) as url, Lukasa(url, attempts=3, sleep=Slept()) as lukasa, self.assertRaises(NoAnswer):
            with lukasa.open_socket() as socket:
                socket.send(event(1))
