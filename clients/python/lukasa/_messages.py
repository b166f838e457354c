"""Conversations with a model, as events."""

from __future__ import annotations

import hashlib
import json
import re
from typing import AbstractSet, Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple


class ToolCall(NamedTuple):
    """ToolCall is one call of a tool."""

    id: str
    name: str
    arguments: str


class Message(NamedTuple):
    """Message is one message of a conversation, whichever interface it came through."""

    role: str  # user, assistant or tool
    text: str = ""
    attachments: Tuple[Dict[str, str], ...] = ()
    #: What the assistant asks to be done.
    calls: Tuple[ToolCall, ...] = ()
    #: Which call this is the result of.
    call_id: str = ""


def member(value: Any, name: str) -> Any:
    """Returns a member of a dict or of an object, or None."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def items_of(value: Any) -> List[Any]:
    """Returns what is in a list that may be none."""
    return list(value) if isinstance(value, (list, tuple)) else []


def chat_messages(messages: Any) -> List[Message]:
    """Reads the messages of chat completions. Those of the system are left out;
    what Lukasa put in the server knows again."""
    out = []
    for m in items_of(messages):
        role = member(m, "role")
        role = "tool" if role == "function" else role
        if role not in ("user", "assistant", "tool"):
            continue
        text, attachments = _content_of(member(m, "content"))
        call_id = _string(member(m, "tool_call_id")) or _string(member(m, "name"))
        out.append(Message(role, text, attachments, _calls_of(member(m, "tool_calls")), call_id))
    return out


def response_items(given: Any) -> List[Message]:
    """Reads the items of the Responses interface, of a request or an answer."""
    if isinstance(given, str):
        return [Message("user", *_content_of(given))]
    out = []
    for item in items_of(given):
        kind, role = member(item, "type"), member(item, "role")
        if kind == "function_call":
            call = ToolCall(_string(member(item, "call_id")), _string(member(item, "name")), _string(member(item, "arguments")))
            out.append(Message("assistant", calls=(call,)))
        elif kind == "function_call_output":
            out.append(Message("tool", *_content_of(member(item, "output")), call_id=_string(member(item, "call_id"))))
        elif role in ("user", "assistant"):
            out.append(Message(role, *_content_of(member(item, "content"))))
    return out


def _calls_of(calls: Any) -> Tuple[ToolCall, ...]:
    out = []
    for call in items_of(calls):
        f = member(call, "function") or member(call, "custom") or {}
        out.append(ToolCall(_string(member(call, "id")), _string(member(f, "name")), _string(member(f, "arguments")) or _string(member(f, "input"))))
    return tuple(out)


def _content_of(content: Any) -> Tuple[str, Tuple[Dict[str, str], ...]]:
    """Reads text, or a list of parts of which some are text."""
    if isinstance(content, str):
        return content.strip(), ()
    texts: List[str] = []
    attachments: List[Dict[str, str]] = []
    for part in items_of(content):
        text = _string(member(part, "text")) or _string(member(part, "refusal"))
        if text:
            texts.append(text)
            continue
        image = member(part, "image_url")
        url = _string(image) or _string(member(image, "url"))
        attachment = {"type": _string(member(part, "type"))}
        if re.match("https?:", url):
            attachment["url"] = url
        attachments.append(attachment)
    return "\n".join(texts).strip(), tuple(attachments)


class ToRecord(NamedTuple):
    """ToRecord is an event of a conversation, without what the server fills in."""

    event_id: str
    event_type: str
    content: Dict[str, Any]
    #: The hash of the message that it is of.
    print: str


def events_of(session: str, before: str, messages: List[Message], known: AbstractSet[str]) -> List[ToRecord]:
    """Turns a conversation into events. The id of each is made of what it says, of what was
    said before it, and of how often that came already: so the same message of a list that
    grows, or of which the beginning was cut off, is one event. Of the first message the one
    before is not known; known are the prints of those that were recorded, and it is left out
    if it is among them."""
    out: List[ToRecord] = []
    times: Dict[str, int] = {}
    tools: Dict[str, str] = {}
    previous = before
    for i, m in enumerate(messages):
        attachments = json.dumps(list(m.attachments), ensure_ascii=False, separators=(",", ":"))
        calls = [text for call in m.calls for text in call]
        print_ = _digest([m.role, m.text, attachments, m.call_id, *calls])
        place = previous + print_
        time = times.get(place, 0)
        times[place] = time + 1
        tools.update((call.id, call.name) for call in m.calls)
        cut = i == 0 and len(messages) > 1 and print_ in known
        if not cut:
            id = _digest([session, previous, print_, str(time)])
            for j, (kind, content) in enumerate(_describe(m, tools)):
                out.append(ToRecord("chat-%s-%d" % (id[:32], j), kind, content, print_))
        previous = print_
    return out


def _describe(m: Message, tools: Dict[str, str]) -> Iterable[Tuple[str, Dict[str, Any]]]:
    """Returns what a message is as events: what is said, and each call of a tool."""
    if m.role == "tool":
        name: Optional[str] = tools.get(m.call_id)
        result = {"tool_name": name} if name else {}
        yield "tool_result", {**result, "call_id": m.call_id, "result": {"text": m.text}}
        return
    if m.text or m.attachments:
        content: Dict[str, Any] = {"role": m.role, "text": m.text}
        if m.attachments:
            content["attachments"] = list(m.attachments)
        yield "message", content
    for call in m.calls:
        yield "tool_call", {"tool_name": call.name, "arguments": _arguments_of(call.arguments), "call_id": call.id}


def _arguments_of(text: str) -> Dict[str, Any]:
    """Reads the arguments of a call, which have to be an object."""
    try:
        read = json.loads(text or "{}")
    except ValueError:
        read = None  # a model may write what is no JSON
    return read if isinstance(read, dict) else {"text": text}


def _digest(texts: List[str]) -> str:
    """A hash of texts, each with its length before it."""
    h = hashlib.sha256()
    for text in texts:
        encoded = text.encode("utf-8", "replace")
        h.update(b"%d:" % len(encoded) + encoded)
    return h.hexdigest()
