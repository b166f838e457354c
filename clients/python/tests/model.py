"""A server that speaks as those of OpenAI do, a client in the shape of theirs, and a server
that speaks as Lukasa does, as far as a conversation needs it."""

import json
import re
import urllib.error
import urllib.parse
import urllib.request
from types import SimpleNamespace
from typing import Any, Dict, Iterator, List, Optional

from .server import Exchange, Seen


class Model:
    """What a model was asked, and says next. Nothing left is a failure."""

    def __init__(self) -> None:
        self.asked: List[Dict[str, Any]] = []
        self.says: List[Dict[str, Any]] = []

    def handle(self, x: Exchange, seen: Seen) -> None:
        body = json.loads(seen.body)
        self.asked.append(body)
        if not self.says:
            return x.json({"error": {"message": "nothing to say"}}, 400)
        said = self.says.pop(0)
        chat = seen.path.endswith("/chat/completions")
        if not body.get("stream"):
            return x.json({"choices": [{"index": 0, "message": said}]} if chat else {"output": said["output"]})
        events = _chunks(said) if chat else said["deltas"] + [{"type": "response.completed", "response": {"output": said["output"]}}]
        return x.stream(*("data: %s\n\n" % json.dumps(e) for e in events), "data: [DONE]\n\n")


def _chunks(said: Dict[str, Any]) -> List[Dict[str, Any]]:
    """Cuts a message into pieces, as a stream has them."""
    deltas: List[Dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": part} for part in re.findall(".{1,3}", said.get("content") or "", re.S)]
    for i, call in enumerate(said.get("tool_calls") or []):
        deltas.append({"content": None, "tool_calls": [{"index": i, "id": call["id"], "function": {"name": call["function"]["name"], "arguments": ""}}]})
        deltas += [{"tool_calls": [{"index": i, "id": None, "function": {"name": None, "arguments": part}}]} for part in re.findall(".{1,3}", call["function"]["arguments"])]
    return [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas] + [{"choices": []}]


class ModelError(Exception):
    """What the client of a model raises."""


class Stream:
    """A stream of a model, as the official client has it: an iterator that can be closed."""

    def __init__(self, response: Any) -> None:
        self.response = response
        self.closed = False
        self._events = self._read()

    def _read(self) -> Iterator[Any]:
        for line in self.response:
            data = line.decode().strip()[6:]
            if data and data != "[DONE]":
                yield json.loads(data, object_hook=lambda d: SimpleNamespace(**d))

    def __iter__(self) -> Iterator[Any]:
        return self._events

    def close(self) -> None:
        self.closed = True
        self.response.close()


class OpenAI:
    """A client in the shape of the official one, which cannot be installed everywhere."""

    def __init__(self, url: str) -> None:
        self.api_key = "x"
        self._url = url
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=lambda **body: self._post("/v1/chat/completions", body)))
        self.responses = SimpleNamespace(create=lambda **body: self._post("/v1/responses", body))

    def with_options(self, **_: Any) -> "OpenAI":
        return OpenAI(self._url)

    def _post(self, path: str, body: Dict[str, Any]) -> Any:
        text = json.dumps(body, default=lambda o: {k: v for k, v in vars(o).items() if v is not None}).encode()
        try:
            response = urllib.request.urlopen(urllib.request.Request(self._url + path, text, {"Content-Type": "application/json"}))
        except urllib.error.HTTPError as error:
            with error:
                raise ModelError(error.read().decode()) from None
        if body.get("stream"):
            return Stream(response)
        with response:
            return json.loads(response.read(), object_hook=lambda d: SimpleNamespace(**d))


class Remembered:
    """What a server was asked to remember."""

    def __init__(self) -> None:
        self.packs: List[Dict[str, Any]] = []
        #: Events that were recorded, in order and each once.
        self.events: List[Dict[str, Any]] = []
        #: How often an id came that was there.
        self.repeated = 0
        #: What a pack says; None makes every call fail.
        self.text: Optional[str] = ""

    def handle(self, x: Exchange, seen: Seen) -> None:
        body = json.loads(seen.body)
        if self.text is None:
            x.hang_up()
        elif seen.path == "/v1/pack_text":
            self.packs.append(body)
            x.raw(self.text.encode(), headers={"Content-Type": "text/markdown"})
        elif any(e["event_id"] == body["event_id"] for e in self.events):
            self.repeated += 1
            x.json({"status": 409, "code": "id_conflict", "detail": "it is there"}, 409)
        else:
            self.events.append({**body, "session_id": urllib.parse.unquote(seen.path.split("/")[3])})
            x.json({"event_id": body["event_id"], "disposition": "accepted", "position": len(self.events)})

    def told(self) -> List[Any]:
        return [(e["event_type"], e["content"]) for e in self.events]

    def texts(self) -> List[str]:
        return [e["content"]["text"] for e in self.events]
