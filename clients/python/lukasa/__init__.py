"""Client of Lukasa, the memory of software agents. It needs the standard library alone.

    from lukasa import Lukasa

    lukasa = Lukasa("http://127.0.0.1:8373", token=token, tenant="acme")
    lukasa.remember("Every second Tuesday.", key="release/cadence")
    print(lukasa.pack_text("when are releases cut", budget=2000))
"""

from ._client import Answer, Lukasa
from ._hmx import Event, Pack, PackEntry
from ._memory_tool import MEMORY_TOOL, MemoryTool, memory, memory_result
from ._operations import ROUTES, Intake, Route, State, Thing, Write
from ._options import CallOptions
from ._problem import NoAnswer, Problem
from ._socket import Ack, Socket
from ._tail import Tailed
from ._wrap import LukasaWarning, wrap

__all__ = [
    "Ack", "Answer", "CallOptions", "Event", "Intake", "Lukasa", "LukasaWarning", "MEMORY_TOOL", "MemoryTool", "NoAnswer", "Pack", "PackEntry", "Problem",
    "ROUTES", "Route", "Socket", "State", "Tailed", "Thing", "Write", "memory", "memory_result", "wrap",
]
