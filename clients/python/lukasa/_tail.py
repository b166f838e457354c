"""Events as they are recorded."""

from __future__ import annotations

import http.client
import json
from typing import Any, Callable, Dict, Generator, Iterator, NamedTuple

from ._connection import BROKEN
from ._problem import NoAnswer, Problem
from ._wait import Again


class Tailed(NamedTuple):
    """Tailed is an event of a tail and its position."""

    position: int
    event: Dict[str, Any]


class _Block(NamedTuple):
    """One block of a stream of server-sent events."""

    kind: str
    id: str
    data: str


Connect = Callable[[str], "tuple[http.client.HTTPConnection, http.client.HTTPResponse]"]


def tail(connect: Connect, again: Again, sleep: Callable[[float], None]) -> Generator[Tailed, None, None]:
    """Follows events over as many connections as it takes."""
    last = ""
    while True:
        try:
            connection, response = connect(last)
            try:
                for block in _blocks_of(response):
                    if block.id and block.id != last:
                        last = block.id
                        again.reset()  # it goes on
                    if block.kind == "end":
                        raise _end_of(block.data)
                    if block.data:
                        yield Tailed(int(block.id), json.loads(block.data))
            finally:
                connection.close()
            wait = again.backoff()  # the server has ended it
        except (Problem, NoAnswer) as error:
            after = again.after(error, True)
            if after is None:
                raise
            wait = after
        sleep(wait)


def _end_of(data: str) -> Problem:
    """Returns the problem that a stream ends with."""
    body = json.loads(data)
    return Problem(body.get("status", 500), body, float(body.get("retry_after", 0)))


def _blocks_of(response: http.client.HTTPResponse) -> Iterator[_Block]:
    """Reads the blocks of a stream. Comments that have an id are blocks without data."""
    kind, id, data = "", "", ""
    try:
        for raw in response:
            line = raw.decode("utf-8").rstrip("\r\n")
            if not line:
                yield _Block(kind, id, data)
                kind, id, data = "", "", ""
                continue
            name, _, value = line.partition(":")
            value = value[1:] if value.startswith(" ") else value
            if name == "event":
                kind = value
            elif name == "id":
                id = value
            elif name == "data":
                data = data + "\n" + value if data else value
    except BROKEN as error:
        raise NoAnswer("the stream broke off: %s" % error) from error
