import json
import select
import threading
import unittest
from typing import Any, Callable, Dict, Iterator, List

from lukasa import CallOptions, Lukasa, NoAnswer, Problem

from .server import Exchange, Seen, Slept, serving


def client(url: str, **options: Any) -> Lukasa:
    return Lukasa(url, **{"token": "secret", "tenant": "acme", "sleep": Slept(), **options})


def event(i: int) -> Any:
    return {
        "hmx_version": "HMX-1.0", "event_id": "e%d" % i, "event_type": "message", "agent_id": "a", "tenant_id": "acme", "session_id": "s",
        "timestamp": "2026-11-01T10:00:00Z", "sequence": i, "content": {"role": "user", "text": "hello %d ☂" % i}, "metadata": {},
    }


class TestCalls(unittest.TestCase):
    def test_a_call_says_who_calls_and_what_for(self) -> None:
        def handle(x: Exchange, seen: Seen) -> None:
            self.assertEqual(seen.headers["Authorization"], "Bearer secret")
            self.assertEqual(seen.headers["X-Lukasa-Tenant"], "acme")
            self.assertEqual(seen.headers["X-Lukasa-Scope"], "narrow")
            self.assertEqual(seen.headers["X-Request-Id"], "mine")
            x.json([seen.method, seen.path, seen.query, seen.body.decode()])

        options = CallOptions(request_id="mine")
        with serving(handle) as url, client(url + "/", scope="narrow") as lukasa:
            said: List[Any] = [
                lukasa.recall("a/b c", version=2, options=options),
                lukasa.put_memory("k", "x", options=options),
                lukasa.import_fingerprint({"a": 1}, private=True, options=options),
                lukasa.delete_memory("k", reason="r", options=options),
            ]
        self.assertEqual(said, [
            ["GET", "/v1/memories/a%2Fb%20c", {"version": "2"}, ""],
            ["PUT", "/v1/memories/k", {}, '{"text":"x"}'],
            ["POST", "/v1/fingerprints", {"private": "true"}, '{"a":1}'],
            ["DELETE", "/v1/memories/k", {"reason": "r"}, ""],
        ])

    def test_what_is_no_request_is_not_sent(self) -> None:
        lukasa = Lukasa("http://localhost")
        for name, fields, words in (("recall", {"key": ""}, "key is missing"), ("root", {"no": 1}, "no field no"), ("nothing", {}, "no operation")):
            with self.assertRaisesRegex(ValueError, words):
                lukasa.call(name, fields)
        for address in ("http://a:b@localhost", "http://localhost?token=x", "ftp://localhost", "localhost"):
            with self.assertRaises(ValueError, msg=address):
                Lukasa(address)

    def test_what_is_refused_is_a_problem_and_tried_again_where_that_helps(self) -> None:
        whole: Dict[str, Any] = {"event_id": "e", "timestamp": "2026-11-01T10:00:00Z", "sequence": 1}
        cases: List[Any] = [
            ("overloaded read", 503, "overloaded", lambda l: l.pack("x"), 3),
            ("overloaded write", 503, "overloaded", lambda l: l.remember("x"), 3),
            ("rate", 429, "rate_limited", lambda l: l.remember("x"), 3),
            ("quota", 429, "over_quota", lambda l: l.remember("x"), 1),
            ("failed read", 500, "internal", lambda l: l.search("x"), 3),
            ("failed write", 500, "internal", lambda l: l.remember("x"), 1),
            ("events are known by their ids", 500, "internal", lambda l: l.append(event(1)), 3),
            ("an event that is complete", 500, "internal", lambda l: l.record_event("s", "message", {}, **whole), 3),
            ("an event that is not", 500, "internal", lambda l: l.record_event("s", "message", {}), 1),
            ("refused", 422, "invalid_argument", lambda l: l.pack("x"), 1),
        ]
        for about, status, code, ask, calls in cases:
            with self.subTest(about):
                came: List[Seen] = []

                def handle(x: Exchange, seen: Seen) -> None:
                    came.append(seen)
                    x.refuse(status, code)

                with serving(handle) as url, client(url, attempts=3) as lukasa, self.assertRaises(Problem) as caught:
                    ask(lukasa)
                p = caught.exception
                self.assertEqual((p.status, p.code, p.detail, p.fix, p.field, p.request_id, p.title), (status, code, "told to", "nothing", "query", "r-1", "A title."))
                self.assertEqual(len(came), calls)

    def test_waits_grow_and_are_as_long_as_the_server_asks_for(self) -> None:
        came: List[Seen] = []

        def handle(x: Exchange, seen: Seen) -> None:
            came.append(seen)
            if len(came) == 4:
                x.json({"size": 1})
            else:
                x.refuse(503, "overloaded", {"Retry-After": "7"} if len(came) == 3 else None)

        slept = Slept()
        with serving(handle) as url, client(url, sleep=slept, min_wait=1, max_wait=10) as lukasa:
            self.assertEqual(lukasa.root()["size"], 1)
        self.assertEqual([1 if 0.5 <= slept[0] <= 1 else slept[0], 2 if 1 <= slept[1] <= 2 else slept[1], slept[2]], [1, 2, 7])

    def test_what_is_no_problem_of_the_server_becomes_one(self) -> None:
        with serving(lambda x, _: x.raw(b"<p>a proxy</p>", 400)) as url, client(url) as lukasa, self.assertRaisesRegex(Problem, "a proxy") as caught:
            lukasa.root()
        self.assertEqual((caught.exception.status, caught.exception.code), (400, "http_400"))

    def test_a_lost_connection_is_no_answer_and_reads_are_tried_again(self) -> None:
        came: List[Seen] = []

        def handle(x: Exchange, seen: Seen) -> None:
            came.append(seen)
            x.hang_up() if len(came) < 3 else x.json({"size": 3})

        with serving(handle) as url, client(url) as lukasa:
            self.assertEqual(lukasa.root()["size"], 3)
            came.clear()
            with self.assertRaises(NoAnswer):
                lukasa.remember("x")
            self.assertEqual(len(came), 1)

    def test_an_answer_that_breaks_off_is_no_answer(self) -> None:
        came: List[Seen] = []

        def handle(x: Exchange, seen: Seen) -> None:
            came.append(seen)
            if len(came) == 2:
                return x.raw(b"whole", headers={"Content-Type": "text/markdown"})
            x.raw(b"half", headers={"Content-Type": "text/markdown", "Content-Length": "8"})
            x.close_connection = True

        with serving(handle) as url, client(url) as lukasa:
            self.assertEqual(lukasa.pack_text("x"), "whole")
            with self.assertRaises(NoAnswer):
                lukasa.pack_text("x", options=CallOptions(attempts=1))

    def test_an_export_that_breaks_off_is_no_answer(self) -> None:
        def handle(x: Exchange, _: Seen) -> None:
            x.send_response(200)
            x.send_header("Transfer-Encoding", "chunked")
            x.end_headers()
            x.wfile.write(b"2\r\n{}\r\n1\r\n\n\r\n")
            x.close_connection = True

        with serving(handle) as url, client(url) as lukasa, self.assertRaises(NoAnswer):
            list(lukasa.export_lines())

    def test_connections_are_kept_and_closed_ones_are_not_used(self) -> None:
        ports: List[int] = []

        def handle(x: Exchange, _: Seen) -> None:
            ports.append(x.client_address[1])
            x.json({"version": 1})
            x.close_connection = len(ports) == 2  # without a word

        with serving(handle) as url, client(url) as lukasa:
            lukasa.remember("x")
            lukasa.remember("x")
            idle = lukasa._connections._idle[0].sock
            self.assertTrue(select.select([idle], [], [], 60)[0])
            lukasa.remember("x")  # which would not be repeated if it got no answer
            lukasa.remember("x")
        self.assertEqual([ports[0] == ports[1], ports[1] == ports[2], ports[2] == ports[3]], [True, False, True])

    def test_silence_ends_a_call(self) -> None:
        done = threading.Event()
        with serving(lambda x, _: None if done.wait() else None) as url, client(url, attempts=1) as lukasa:
            with self.assertRaises(NoAnswer):
                lukasa.root(options=CallOptions(timeout=0.05))
            done.set()

    def test_writes_expect_versions_reads_say_what_they_have(self) -> None:
        def handle(x: Exchange, seen: Seen) -> None:
            if seen.headers["If-None-Match"] == '"2-abc"':
                x.raw(b"", 304, {"ETag": '"2-abc"'})
            else:
                x.json([seen.headers["If-Match"], seen.headers["If-None-Match"]], headers={"ETag": '"2-abc"'})

        with serving(handle) as url, client(url) as lukasa:
            put: Callable[[CallOptions], Any] = lambda options: lukasa.put_memory("k", "x", options=options)
            self.assertEqual(put(CallOptions(if_match=2)), ['"2"', None])
            self.assertEqual(put(CallOptions(if_match='"2-abc"')), ['"2-abc"', None])
            self.assertEqual(put(CallOptions(if_match="*")), ["*", None])
            self.assertEqual(put(CallOptions(if_none_match="*")), [None, "*"])
            first = lukasa.ask("recall", {"key": "k"})
            self.assertEqual(first.etag, '"2-abc"')
            second = lukasa.ask("recall", {"key": "k"}, CallOptions(if_none_match=first.etag))
            self.assertEqual((second.not_modified, second.data, second.status), (True, None, 304))


class TestStreams(unittest.TestCase):
    def test_lines_are_sent_while_they_are_made(self) -> None:
        arrived = threading.Event()

        def handle(x: Exchange, seen: Seen) -> None:
            self.assertEqual(seen.headers["Content-Type"], "application/x-ndjson")
            body = b""
            for part in x.chunks():
                body += part
                arrived.set()
            x.json({"accepted": body.count(b"\n"), "body": body.decode()})

        def lines() -> Iterator[Any]:
            yield {"text": "x" * (64 << 10)}
            self.assertTrue(arrived.wait(60))  # it would never be, if all had to be made before the first is sent
            yield "as it is\n"
            yield b"as bytes"
            yield event(1)

        with serving(handle, whole=False) as url, client(url) as lukasa:
            said: Any = lukasa.ingest(lines())
        self.assertEqual(said["accepted"], 4)
        self.assertEqual(said["body"].split("\n")[1:], ["as it is", "as bytes", json.dumps(event(1), ensure_ascii=False, separators=(",", ":")), ""])

    def test_what_making_lines_raises_is_raised(self) -> None:
        def broken() -> Iterator[str]:
            yield "{}"
            raise OSError("no more")

        with serving(lambda x, _: x.json({})) as url, client(url) as lukasa, self.assertRaisesRegex(OSError, "no more"):
            lukasa.ingest(broken())

    def test_a_refusal_before_the_end_of_a_stream_is_seen(self) -> None:
        def handle(x: Exchange, seen: Seen) -> None:
            x.refuse(401, "unauthenticated", {"Connection": "close"})
            x.close_connection = True

        with serving(handle, whole=False) as url, client(url) as lukasa, self.assertRaises((Problem, NoAnswer)):
            lukasa.ingest(event(i) for i in range(100_000))

    def test_a_tail_goes_on_where_it_was(self) -> None:
        asked: List[Any] = []
        block = lambda i: "id: %d\nevent: hmx\ndata: %s\n\n" % (i, json.dumps(event(i)))  # noqa: E731

        def handle(x: Exchange, seen: Seen) -> None:
            asked.append(seen.headers["Last-Event-ID"])
            self.assertEqual(seen.query, {"session": "s", "from": "0"})
            if len(asked) == 1:  # two events, of which the second comes in pieces, and a broken connection
                x.stream(": hello\n\n" + block(3) + block(4)[:20], block(4)[20:], block(5)[:30])
            elif len(asked) == 2:  # a comment that moves the place on, and a server on its way down
                x.stream(': still here\nid: 9\n\nevent: end\ndata: {"status":503,"code":"overloaded","detail":"down"}\n\n')
            elif len(asked) == 3:
                x.stream(block(10))
            else:
                x.stream('event: end\ndata: {"status":401,"code":"unauthenticated","detail":"revoked"}\n\n')

        positions = []
        with serving(handle) as url, client(url) as lukasa, self.assertRaises(Problem) as caught:
            for position, e in lukasa.tail(session="s", from_=0):
                self.assertEqual(e["event_id"], "e%d" % position)
                positions.append(position)
        self.assertEqual(caught.exception.code, "unauthenticated")
        self.assertEqual(positions, [3, 4, 10])
        self.assertEqual(asked, [None, "4", "9", "10"])

    def test_a_tail_that_gets_no_further_is_given_up(self) -> None:
        connections: List[int] = []

        def handle(x: Exchange, seen: Seen) -> None:
            connections.append(1)
            x.stream('retry: 1\n\nevent: end\ndata: {"status":500,"code":"damaged","detail":"broken"}\n\n')

        with serving(handle) as url, client(url, attempts=3) as lukasa, self.assertRaises(Problem) as caught:
            for _ in lukasa.tail():
                self.fail("there is nothing to tell")
        self.assertEqual(caught.exception.code, "damaged")
        self.assertLessEqual(len(connections), 3)

    def test_connections_with_high_descriptors_are_kept(self) -> None:
        import os
        import resource
        import socket

        from lukasa._connection import _readable

        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        if limit[1] != resource.RLIM_INFINITY and limit[1] < 2000:
            self.skipTest("this many descriptors are not allowed here")
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(limit[0], 2000), limit[1]))
        here, there = socket.socketpair()
        try:
            high = socket.socket(fileno=os.dup2(here.fileno(), 1500))
            with high:
                self.assertFalse(_readable(high))
                there.send(b"x")
                self.assertTrue(_readable(high))
        finally:
            here.close()
            there.close()
            resource.setrlimit(resource.RLIMIT_NOFILE, limit)

    def test_pages_are_asked_for_one_by_one(self) -> None:
        asked: List[Dict[str, str]] = []

        def handle(x: Exchange, seen: Seen) -> None:
            asked.append(seen.query)
            after = int(seen.query.get("after", 0))
            x.json({"memories": ["m%d" % after, "m%d" % (after + 1)], "next": str(after + 2) if after < 4 else None})

        with serving(handle) as url, client(url) as lukasa:
            self.assertEqual(list(lukasa.pages("list_memories", {"limit": 2})), ["m0", "m1", "m2", "m3", "m4", "m5"])
            next(iter(lukasa.pages("list_memories", {"limit": 2})))
        self.assertEqual([a.get("after") for a in asked], [None, "2", "4", None])

    def test_an_export_comes_line_by_line_and_goes_back_in(self) -> None:
        def handle(x: Exchange, seen: Seen) -> None:
            if seen.path == "/v1/import":
                x.json({"imported": seen.body.count(b"\n")})
            else:
                x.raw('{"a":"ü"}\r\n{"b":2}\n'.encode())

        with serving(handle) as url, client(url) as lukasa:
            lines = list(lukasa.export_lines())
            self.assertEqual(lines, ['{"a":"ü"}', '{"b":2}'])
            self.assertEqual(lukasa.import_lines(lines)["imported"], 2)
