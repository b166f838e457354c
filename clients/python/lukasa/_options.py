"""How one call is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Union


@dataclass(frozen=True)
class CallOptions:
    """CallOptions say how one call is made; what is None is as the client has it."""

    #: How many seconds the server may be silent.
    timeout: Optional[float] = None
    #: The version that a write expects: a number, an ETag, or "*" for any that there is.
    if_match: Union[int, str, None] = None
    #: Of a read, the ETag that the caller has. Of a write, "*" for what must not be there yet.
    if_none_match: Optional[str] = None
    #: Another tenant, scope or name in logs than the client's.
    tenant: Optional[str] = None
    scope: Optional[str] = None
    request_id: Optional[str] = None
    #: How often the call is tried at most.
    attempts: Optional[int] = None


def tag_of(tag: Union[int, str]) -> str:
    """Writes a version or an ETag as If-Match has it."""
    text = str(tag)
    return text if text == "*" or text.startswith(('"', "W/")) else '"%s"' % text
