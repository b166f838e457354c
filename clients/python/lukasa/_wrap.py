"""A model's client that remembers."""

from __future__ import annotations

import inspect
import threading
import warnings
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, TypeVar, cast

from ._client import Lukasa
from ._messages import Message, ToolCall, ToRecord, chat_messages, events_of, items_of, member, response_items
from ._options import CallOptions
from ._problem import NoAnswer, Problem

C = TypeVar("C")
Request = Dict[str, Any]
OnTrouble = Callable[[Exception, str], None]


class LukasaWarning(UserWarning):
    """LukasaWarning says what went wrong with memory around a call of a model."""


def wrap(
    client: C,
    *,
    lukasa: Lukasa,
    session: str,
    agent: Optional[str] = None,
    budget: int = 2000,
    record: bool = True,
    timeout: float = 5.0,
    on_trouble: Optional[OnTrouble] = None,
) -> C:
    """Returns an object that behaves as a client of an OpenAI-compatible server does, and
    remembers: before chat.completions.create and responses.create it puts a pack for the
    user's last message into the request, after it the messages, tool calls and tool results
    are recorded, each once.

    session is the session that the conversation is recorded in, agent the agent of its events;
    an agent's key has its own. A pack has at most budget tokens; 0 adds none. timeout is how
    many seconds to wait for the server. on_trouble receives errors of the memory, and whether
    they are of the "pack" or the "record"; the default is a LukasaWarning. An error never
    breaks a call of the model."""
    memory = _Memory(lukasa, session, agent, budget, record, timeout, on_trouble)

    def completions(own: Any) -> Any:
        return _Around(own, {"create": lambda f: memory.remembering(f, _Chat()), "parse": lambda f: memory.remembering(f, _Chat())})

    def responses(own: Any) -> Any:
        return _Around(own, {"create": lambda f: memory.remembering(f, _Responses()), "parse": lambda f: memory.remembering(f, _Responses())})

    def with_options(own: Any) -> Any:
        def other(*args: Any, **kwargs: Any) -> Any:
            return wrap(own(*args, **kwargs), lukasa=lukasa, session=session, agent=agent, budget=budget, record=record, timeout=timeout, on_trouble=on_trouble)
        return other

    members = {"chat": lambda own: _Around(own, {"completions": completions}), "responses": responses, "with_options": with_options, "copy": with_options}
    return cast(C, _Around(client, members))


class _Around:
    """An object with some of its members replaced. All else is the object's own."""

    def __init__(self, own: Any, members: Dict[str, Callable[[Any], Any]]) -> None:
        self.__dict__["_own"] = own
        self.__dict__["_members"] = members

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        return type(self.__dict__["_own"])

    def __getattr__(self, name: str) -> Any:
        own = getattr(self.__dict__["_own"], name)
        replace = self.__dict__["_members"].get(name)
        return own if replace is None else replace(own)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["_own"], name, value)

    def __enter__(self) -> "_Around":
        self.__dict__["_own"].__enter__()
        return self

    def __exit__(self, *reason: Any) -> Any:
        return self.__dict__["_own"].__exit__(*reason)


class _Memory:
    """What a wrapped client remembers with."""

    def __init__(self, lukasa: Lukasa, session: str, agent: Optional[str], budget: int, record: bool, timeout: float, on_trouble: Optional[OnTrouble]) -> None:
        self._lukasa, self._session, self._agent = lukasa, session, agent
        self._budget, self._recording, self._on_trouble = budget, record, on_trouble
        self._options = CallOptions(timeout=timeout, attempts=2)
        self._lock = threading.Lock()
        self._sent: Set[str] = set()
        self._known: Set[str] = set()
        self._pack_key, self._pack_text = "", ""

    def remembering(self, method: Any, dialect: "_Dialect") -> Callable[..., Any]:
        """Returns a method that does what the given one does, and remembers."""

        def remembered(*args: Any, **request: Any) -> Any:
            prepared = self._prepare(request, dialect)
            try:
                answer = method(*args, **prepared)
            except Exception:
                self.record(request, dialect, [])
                raise
            if inspect.isawaitable(answer):
                self._trouble(TypeError("clients that are awaited are not recorded"), "record")
            elif request.get("stream") is True:
                return _Listening(answer, lambda said: self.record(request, dialect, said), dialect.collect())
            else:
                self._safely("record", lambda: self.record(request, dialect, dialect.answer(answer)))
            return answer

        return remembered

    def _prepare(self, request: Request, dialect: "_Dialect") -> Request:
        """Returns a request with a pack in it, if there is one."""
        if self._budget <= 0:
            return request
        prepared = self._safely("pack", lambda: self._with_pack(request, dialect))
        return request if prepared is None else cast(Request, prepared)

    def _with_pack(self, request: Request, dialect: "_Dialect") -> Request:
        asked = [m.text for m in dialect.messages(request) if m.role == "user" and m.text]
        if not asked:
            return request
        # While tools are called the question is the same, and so is the beginning of the prompt.
        key = "%d %s" % (len(asked), asked[-1])
        with self._lock:
            if key != self._pack_key:
                self._pack_text = self._ask(asked[-1])
                self._pack_key = key
            text = self._pack_text
        return dialect.prepend(request, text) if text else request

    def _ask(self, query: str) -> str:
        """Asks for a pack as the block that the server knows again."""
        fields = {"query": query, "session_id": self._session, "agent_id": self._agent, "budget": self._budget, "marked": True}
        return self._lukasa.call("pack_text", fields, self._options)

    def record(self, request: Request, dialect: "_Dialect", said: List[Message]) -> None:
        """Records what is new of a conversation."""
        if self._recording:
            self._safely("record", lambda: self._record(request, dialect, said))

    def _record(self, request: Request, dialect: "_Dialect", said: List[Message]) -> None:
        with self._lock:
            for event in events_of(self._session, dialect.before(request), dialect.messages(request) + said, self._known):
                if event.event_id not in self._sent and not self._send(event, request):
                    return  # the rest is sent with the next call

    def _send(self, event: ToRecord, request: Request) -> bool:
        """Records one event, and says whether the next one is worth trying. One that is there
        already is as good as recorded."""
        model = request.get("model")
        fields = {
            "event_id": event.event_id, "event_type": event.event_type, "content": event.content, "session_id": self._session, "agent_id": self._agent, "source": "openai-client",
            "metadata": {"model": model} if isinstance(model, str) else {},
        }
        for attempt in (1, 2):
            try:
                self._lukasa.call("record_event", fields, self._options)
                break
            except Problem as problem:
                if problem.code == "id_conflict":
                    break
                self._trouble(problem, "record")
                refused = problem.status < 500 and problem.status not in (401, 403, 429)
                if refused:
                    self._sent.add(event.event_id)  # it would be again
                return refused
            except NoAnswer as error:
                if attempt == 2:
                    self._trouble(error, "record")
                    return False
        self._sent.add(event.event_id)
        self._known.add(event.print)
        return True

    def _safely(self, during: str, work: Callable[[], Any]) -> Any:
        """Does something that must not break a call of the model."""
        try:
            return work()
        except Exception as error:
            self._trouble(error, during)
            return None

    def _trouble(self, error: Exception, during: str) -> None:
        try:
            if self._on_trouble is not None:
                self._on_trouble(error, during)
            else:
                warnings.warn("lukasa: %s: %s" % (during, error), LukasaWarning, stacklevel=2)
        except Exception:
            pass  # who wants to hear of trouble must not make more of it


class _Listening:
    """A stream that is let through and recorded when it ends."""

    def __init__(self, stream: Any, record: Callable[[List[Message]], None], collected: "_Collected") -> None:
        self._stream, self._record, self._collected = stream, record, collected
        self._chunks = self._listen()

    def _listen(self) -> Iterator[Any]:
        try:
            for chunk in self._stream:
                try:
                    self._collected.add(chunk)
                except Exception:
                    pass  # what is not understood is let through all the same
                yield chunk
        finally:
            self._record(self._collected.messages())

    def __iter__(self) -> Iterator[Any]:
        return self._chunks

    def __next__(self) -> Any:
        return next(self._chunks)

    def __enter__(self) -> "_Listening":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Ends the stream; what was said so far is recorded."""
        self._chunks.close()  # type: ignore[attr-defined]
        close = getattr(self._stream, "close", None)
        if close is not None:
            close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Collected:
    """What a stream of chat completions says."""

    def __init__(self) -> None:
        self.text = ""
        self.calls: Dict[int, List[str]] = {}

    def add(self, chunk: Any) -> None:
        for choice in items_of(member(chunk, "choices")):
            if (member(choice, "index") or 0) != 0:
                continue
            delta = member(choice, "delta")
            self.text += (member(delta, "content") or "") + (member(delta, "refusal") or "")
            for part in items_of(member(delta, "tool_calls")):
                call = self.calls.setdefault(member(part, "index") or 0, ["", "", ""])
                f = member(part, "function")
                call[0] = call[0] or member(part, "id") or ""
                call[1] += member(f, "name") or ""
                call[2] += member(f, "arguments") or ""

    def messages(self) -> List[Message]:
        text = self.text.strip()
        calls = tuple(ToolCall(*self.calls[i]) for i in sorted(self.calls))
        return [Message("assistant", text, calls=calls)] if text or calls else []


class _CollectedItems(_Collected):
    """What a stream of the Responses interface says."""

    def __init__(self) -> None:
        super().__init__()
        self.done: List[Message] = []

    def add(self, chunk: Any) -> None:
        kind = member(chunk, "type")
        if kind == "response.output_text.delta":
            self.text += member(chunk, "delta") or ""
        elif kind == "response.completed":
            self.done = response_items(member(member(chunk, "response"), "output"))

    def messages(self) -> List[Message]:
        return self.done or super().messages()


class _Dialect:
    """How one interface of a model writes a conversation."""

    def before(self, request: Request) -> str:
        """What is there before the first message."""
        raise NotImplementedError

    def messages(self, request: Request) -> List[Message]:
        raise NotImplementedError

    def prepend(self, request: Request, text: str) -> Request:
        """The request with a text for the model in it."""
        raise NotImplementedError

    def answer(self, answer: Any) -> List[Message]:
        raise NotImplementedError

    def collect(self) -> _Collected:
        raise NotImplementedError


class _Chat(_Dialect):
    """Chat completions."""

    def before(self, request: Request) -> str:
        return ""

    def messages(self, request: Request) -> List[Message]:
        return chat_messages(request.get("messages"))

    def prepend(self, request: Request, text: str) -> Request:
        messages = list(request["messages"])
        at = next((i for i, m in enumerate(messages) if member(m, "role") not in ("system", "developer")), len(messages))
        messages.insert(at, {"role": "system", "content": text})
        return {**request, "messages": messages}

    def answer(self, answer: Any) -> List[Message]:
        choices = items_of(member(answer, "choices"))
        return chat_messages([member(choices[0], "message")]) if choices else []

    def collect(self) -> _Collected:
        return _Collected()


class _Responses(_Dialect):
    """The Responses interface."""

    def before(self, request: Request) -> str:
        previous = request.get("previous_response_id")
        return previous if isinstance(previous, str) else ""

    def messages(self, request: Request) -> List[Message]:
        return response_items(request.get("input"))

    def prepend(self, request: Request, text: str) -> Request:
        own = request.get("instructions")
        return {**request, "instructions": own + "\n\n" + text if isinstance(own, str) else text}

    def answer(self, answer: Any) -> List[Message]:
        return response_items(member(answer, "output"))

    def collect(self) -> _Collected:
        return _CollectedItems()
