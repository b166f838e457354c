"""What goes wrong with a call."""

from __future__ import annotations

import email.utils
import json
import time
from typing import Any, Dict, List, Optional

# The most that a server may ask to wait, in seconds.
_LONGEST = 3600.0


class Problem(Exception):
    """Problem is the error of a call that the server refused, as RFC 9457 has it. Programs
    decide by its code; docs/errors.md lists the codes."""

    def __init__(self, status: int, body: Dict[str, Any], retry_after: float = 0.0) -> None:
        self.status = status
        self.body = body
        self.code: str = body["code"]
        self.title: str = body.get("title") or ""
        #: What happened here, and what to do about it.
        self.detail: str = body.get("detail") or self.title
        self.fix: str = body.get("fix") or ""
        #: The member of the request that it is about, if it is about one.
        self.field: Optional[str] = body.get("field")
        #: The name of the call in the server's log.
        self.request_id: Optional[str] = body.get("request_id")
        #: The places of a document that break a rule.
        self.problems: List[Any] = body.get("problems") or []
        #: How many seconds the server asks to wait, or 0.
        self.retry_after = retry_after
        super().__init__("%s [%s]" % (self.detail, self.code))


class NoAnswer(Exception):
    """NoAnswer is the error of a call that nothing came back from: the server cannot be
    reached, the connection broke, or the time was over. Nobody knows whether it was done."""


def problem_of(status: int, retry_after: Optional[str], answer: bytes) -> Problem:
    """Reads what a server refused with. What is no problem of its own becomes one."""
    body: Any = None
    try:
        body = json.loads(answer)
    except ValueError:
        pass  # a proxy between here and the server has answered
    if not isinstance(body, dict) or not isinstance(body.get("code"), str):
        text = answer[:200].decode("utf-8", "replace")
        body = {"code": "http_%d" % status, "detail": "the server answered %d: %s" % (status, text)}
    return Problem(status, body, wait_of(retry_after))


def wait_of(header: Optional[str]) -> float:
    """Reads Retry-After, which is in seconds or a date."""
    if not header or not header.strip():
        return 0.0
    try:
        wait = float(header)
    except ValueError:
        try:
            wait = email.utils.parsedate_to_datetime(header).timestamp() - time.time()
        except (TypeError, ValueError):
            return 0.0
    return min(wait, _LONGEST) if wait > 0 else 0.0
