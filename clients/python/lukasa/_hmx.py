"""Documents of the protocol: events (HMX-E) and packs (HMX-C)."""

from __future__ import annotations

from typing import Any, Dict, List, TypedDict


class _EventRequired(TypedDict):
    hmx_version: str
    event_id: str
    event_type: str
    agent_id: str
    tenant_id: str
    session_id: str
    timestamp: str
    sequence: int
    content: Dict[str, Any]
    metadata: Dict[str, Any]


class Event(_EventRequired, total=False):
    """Event is what an agent saw or did."""

    trace_id: str
    correlation_id: str
    parent_event_id: str
    embeddings: List[float]
    salience: float
    source: str
    provenance_ref: str
    tags: List[str]
    ttl_seconds: int


class PackEntry(TypedDict):
    """PackEntry is something in a pack, and where it comes from. It may have more members."""

    section: str
    content: str
    source_id: str
    source_type: str
    relevance_score: float
    token_estimate: int
    rank: int
    provenance: Dict[str, Any]


class Pack(TypedDict):
    """Pack is what an agent needs to know for a question."""

    hmx_version: str
    pack_id: str
    tenant_id: str
    query_context: str
    entries: List[PackEntry]
    token_budget: Dict[str, Any]
    assembly_metadata: Dict[str, Any]
    created_at: str
    metadata: Dict[str, Any]
