"""Made by tools/generate.py of ../openapi.json. Do not edit."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Dict, List, Literal, NamedTuple, Optional, Tuple, TypedDict, cast

from ._hmx import Pack
from ._options import CallOptions


class _BundlePinnedItemRequired(TypedDict):
    uri: str
    id: str
    kind: str
    type: str
    trust: str
    actor: str
    created_at: str
    updated_at: str
    text: str


class BundlePinnedItem(_BundlePinnedItemRequired, total=False):
    key: str
    status: str
    version: int
    agent: str
    session: str
    tags: List[str]


class Bundle(TypedDict):
    pinned: List[BundlePinnedItem]
    frame_relevant: List[BundlePinnedItem]
    outcomes: List[BundlePinnedItem]
    rendered: Dict[str, str]
    tokens: Dict[str, int]
    scores: Dict[str, float]
    reachable_uris: List[str]
    total_tokens: int
    trimmed: int
    latency_ms: int
    form: str
    budget_tokens: int
    counter: str
    tenant: str
    size: int
    root: str


class _IntakeRejectedItemRequired(TypedDict):
    index: int
    code: str
    detail: str


class IntakeRejectedItem(_IntakeRejectedItemRequired, total=False):
    file: str
    line: int


class _StateRequired(TypedDict):
    tenant: str
    size: int
    root: str


class State(_StateRequired, total=False):
    time: str


class _IntakeRequired(TypedDict):
    accepted: int
    duplicates: int
    late: int
    rejected: List[IntakeRejectedItem]
    omitted: int
    warnings: int
    tenants: List[State]


class Intake(_IntakeRequired, total=False):
    scrubbed: int
    own: int
    position: int
    root: str


class EventsEventsItem(TypedDict):
    uri: str
    kind: str
    position: int
    recorded_at: str
    actor: str
    trust: str
    event: Any


class Events(TypedDict):
    events: List[EventsEventsItem]
    next: Optional[str]


class _ThingRequired(TypedDict):
    uri: str
    kind: str
    version: int
    state: str
    trust: str
    actor: str
    created_at: str
    updated_at: str
    valid: bool
    position: int
    body: Any


class Thing(_ThingRequired, total=False):
    reason: str
    status: str
    expires_at: str
    form: str
    rendered: str


class Things(TypedDict):
    memories: List[Thing]
    next: Optional[str]


class _WriteRequired(TypedDict):
    uri: str
    version: int
    position: int
    trust: str
    unchanged: bool
    size: int
    root: str


class Write(_WriteRequired, total=False):
    scrubbed: int


class SearchedHitsItemReasonsItem(TypedDict):
    name: str
    value: float
    weight: float
    score: float


class _SearchedHitsItemRequired(TypedDict):
    id: str
    uri: str
    kind: str
    source_type: str
    score: float
    parts: Dict[str, float]
    text: str
    tokens: int


class SearchedHitsItem(_SearchedHitsItemRequired, total=False):
    reasons: List[SearchedHitsItemReasonsItem]
    duplicate_of: str
    thing: Thing
    event: EventsEventsItem


class _SearchedRequired(TypedDict):
    query: str
    hits: List[SearchedHitsItem]
    classification: Dict[str, Any]
    candidates: int
    trimmed: int
    total_tokens: int
    form: str
    counter: str
    tenant: str
    size: int
    root: str


class Searched(_SearchedRequired, total=False):
    degraded: List[str]
    budget_tokens: int
    time: str


_ApproveArtifactAnswerRequired = TypedDict("_ApproveArtifactAnswerRequired", {"uri": "str", "version": "int", "position": "int", "trust": "str", "unchanged": "bool", "size": "int", "root": "str", "from": "str", "to": "str"})


class ApproveArtifactAnswer(_ApproveArtifactAnswerRequired, total=False):
    scrubbed: int
    superseded: str


class _ArtifactChainAnswerVersionsItemChangesItemRequired(TypedDict):
    status: str
    time: str
    actor: str
    trust: str
    position: int


class ArtifactChainAnswerVersionsItemChangesItem(_ArtifactChainAnswerVersionsItemChangesItemRequired, total=False):
    superseded_by: str
    reason: str


class _ArtifactChainAnswerVersionsItemRequired(TypedDict):
    artifact_id: str
    version: int
    status: str
    title: str
    confidence: float
    content_hash: str
    events: int
    changes: List[ArtifactChainAnswerVersionsItemChangesItem]


class ArtifactChainAnswerVersionsItem(_ArtifactChainAnswerVersionsItemRequired, total=False):
    supersedes: str
    superseded_by: str


class ArtifactChainAnswer(TypedDict):
    uri: str
    versions: List[ArtifactChainAnswerVersionsItem]


class ArtifactDiffAnswerFrom(TypedDict):
    artifact_id: str
    version: int


class _ArtifactDiffAnswerChangesItemRequired(TypedDict):
    path: str
    op: str


_ArtifactDiffAnswerChangesItemOptional = TypedDict("_ArtifactDiffAnswerChangesItemOptional", {"from": "Any", "to": "Any"}, total=False)


class ArtifactDiffAnswerChangesItem(_ArtifactDiffAnswerChangesItemRequired, _ArtifactDiffAnswerChangesItemOptional):
    pass


ArtifactDiffAnswer = TypedDict("ArtifactDiffAnswer", {"from": "ArtifactDiffAnswerFrom", "to": "ArtifactDiffAnswerFrom", "changes": "List[ArtifactDiffAnswerChangesItem]", "events_added": "int", "events_removed": "int"})


class _CheckActionAnswerLastRequired(TypedDict):
    time: str
    went: bool


class CheckActionAnswerLast(_CheckActionAnswerLastRequired, total=False):
    error: str
    event: str


class _CheckActionAnswerReasonsItemRuleRequired(TypedDict):
    text: str
    strength: str
    lift: str


class CheckActionAnswerReasonsItemRule(_CheckActionAnswerReasonsItemRuleRequired, total=False):
    stated_by: str
    stated_at: str
    scope: str


class _CheckActionAnswerReasonsItemRequired(TypedDict):
    level: str
    text: str


class CheckActionAnswerReasonsItem(_CheckActionAnswerReasonsItemRequired, total=False):
    source: str
    quote: str
    rule: CheckActionAnswerReasonsItemRule
    refusal: str


class _CheckActionAnswerInsteadItemRequired(TypedDict):
    text: str


class CheckActionAnswerInsteadItem(_CheckActionAnswerInsteadItemRequired, total=False):
    tool: str
    source: str


class CheckActionAnswerBehind(TypedDict):
    past: int
    more: bool
    rules: int
    artifacts: int


class CheckActionAnswer(TypedDict):
    level: str
    tool: str
    shape: str
    same: bool
    tried: int
    went: int
    success_rate: Optional[float]
    judged: int
    succeeded: int
    last: Optional[CheckActionAnswerLast]
    reasons: List[CheckActionAnswerReasonsItem]
    instead: List[CheckActionAnswerInsteadItem]
    behind: CheckActionAnswerBehind


class CheckScopeAnswerGrantsItemInclude(TypedDict, total=False):
    all: bool
    pinned: bool
    types: List[str]
    tags: List[str]
    ids: List[str]
    frames: List[str]
    sections: List[str]
    sessions: List[str]


class CheckScopeAnswerGrantsItem(TypedDict, total=False):
    by: str
    to: str
    mode: str
    include: CheckScopeAnswerGrantsItemInclude
    exclude: CheckScopeAnswerGrantsItemInclude
    budget_tokens: int
    not_before: str
    expires_at: str
    trust: str


class _CheckScopeAnswerRequired(TypedDict):
    id: str
    tenant: str
    grants: List[CheckScopeAnswerGrantsItem]
    effective: CheckScopeAnswerGrantsItem
    sealed: bool


class CheckScopeAnswer(_CheckScopeAnswerRequired, total=False):
    token: str
    out: str
    verified: bool
    unverified: str
    problem: str


class _CompileAnswerChangesItemRequired(TypedDict):
    op: str
    uri: str


_CompileAnswerChangesItemOptional = TypedDict("_CompileAnswerChangesItemOptional", {"class": "str", "title": "str", "reason": "str"}, total=False)


class CompileAnswerChangesItem(_CompileAnswerChangesItemRequired, _CompileAnswerChangesItemOptional):
    pass


class _CompileAnswerRequired(TypedDict):
    dry_run: bool
    sessions: int
    events: int
    tasks: int
    changes: List[CompileAnswerChangesItem]
    unchanged: int
    tenant: str
    size: int
    root: str


class CompileAnswer(_CompileAnswerRequired, total=False):
    time: str


class _CreateKeyAnswerKeyRequired(TypedDict):
    id: str
    role: str
    rights: List[str]
    trust: str
    state: str
    created_by: str
    created_at: str


class CreateKeyAnswerKey(_CreateKeyAnswerKeyRequired, total=False):
    tenant: str
    agent: str
    label: str
    expires_at: str
    revoked_at: str
    reason: str


class CreateKeyAnswer(TypedDict):
    token: str
    key: CreateKeyAnswerKey


class _ExpireAnswerRequired(TypedDict):
    things: int
    events: int
    tenant: str
    size: int
    root: str


class ExpireAnswer(_ExpireAnswerRequired, total=False):
    time: str


class ExplainAnswerVerdictParts(TypedDict):
    relevance: float
    recency: float
    provenance: float
    salience: float


class _ExplainAnswerVerdictRequired(TypedDict):
    section: str
    rank: int
    score: float
    parts: ExplainAnswerVerdictParts
    tokens: int
    truncated: bool


_ExplainAnswerVerdictOptional = TypedDict("_ExplainAnswerVerdictOptional", {"of": "int", "pass": "int"}, total=False)


class ExplainAnswerVerdict(_ExplainAnswerVerdictRequired, _ExplainAnswerVerdictOptional):
    pass


_ExplainAnswerRequired = TypedDict("_ExplainAnswerRequired", {"pack_id": "str", "in": "bool", "reason": "str", "detail": "str"})


class ExplainAnswer(_ExplainAnswerRequired, total=False):
    uri: str
    verdict: ExplainAnswerVerdict


class FindWhereItem(TypedDict):
    field: str
    op: Literal["=", "!=", "<", "<=", ">", ">=", "contains", "prefix"]
    value: str


class _FindFollowItemRequired(TypedDict):
    kinds: List[str]


class FindFollowItem(_FindFollowItemRequired, total=False):
    direction: Literal["out", "in", "both"]
    hops: int


class _FindAnswerHitsItemFactorsRequired(TypedDict):
    recency: float
    access: float
    citations: float
    importance: float


class FindAnswerHitsItemFactors(_FindAnswerHitsItemFactorsRequired, total=False):
    similarity: float


class _FindAnswerHitsItemRequired(TypedDict):
    uri: str
    id: str
    kind: str
    score: float
    factors: FindAnswerHitsItemFactors
    text: str
    tokens: int
    hops: int


class FindAnswerHitsItem(_FindAnswerHitsItemRequired, total=False):
    path: List[str]
    thing: Thing
    event: EventsEventsItem


class _FindAnswerRequired(TypedDict):
    hits: List[FindAnswerHitsItem]
    scanned: int
    matched: int
    reached: int
    trimmed: int
    total_tokens: int
    form: str
    order: str
    counter: str
    tenant: str
    size: int
    root: str


class FindAnswer(_FindAnswerRequired, total=False):
    budget_tokens: int
    time: str


class GetArtifactAnswerRefined(TypedDict):
    uri: str
    model: str
    title: str
    summary: str
    written_at: str


class GetArtifactAnswerEvidence(TypedDict):
    events: int
    memories: int
    missing_count: int
    missing: List[str]


class _GetArtifactAnswerRequired(TypedDict):
    uri: str
    artifact: Optional[Dict[str, Any]]
    trust: str
    actor: str
    position: int
    recorded_at: str
    hash_verified: bool
    evidence: GetArtifactAnswerEvidence
    conflicts: List[str]
    changes: List[ArtifactChainAnswerVersionsItemChangesItem]


class GetArtifactAnswer(_GetArtifactAnswerRequired, total=False):
    refined: GetArtifactAnswerRefined


class _GetConflictAnswerSidesItemRequired(TypedDict):
    uri: str


class GetConflictAnswerSidesItem(_GetConflictAnswerSidesItemRequired, total=False):
    state: str
    trust: str
    text: str


class _GetConflictAnswerRequired(TypedDict):
    uri: str
    kind: str
    version: int
    state: str
    trust: str
    actor: str
    created_at: str
    updated_at: str
    valid: bool
    position: int
    body: Any
    sides: List[GetConflictAnswerSidesItem]


class GetConflictAnswer(_GetConflictAnswerRequired, total=False):
    reason: str
    status: str
    expires_at: str
    form: str
    rendered: str


class GetQuotaAnswerLimits(TypedDict, total=False):
    requests_per_second: float
    events_per_second: float
    bytes_per_second: float
    max_records: int
    max_bytes: int


class GetQuotaAnswer(TypedDict):
    tenant: str
    limits: GetQuotaAnswerLimits


class _GraphAnswerNodesItemRequired(TypedDict):
    id: str
    kind: str
    label: str


class GraphAnswerNodesItem(_GraphAnswerNodesItemRequired, total=False):
    type: str


_GraphAnswerEdgesItemRequired = TypedDict("_GraphAnswerEdgesItemRequired", {"from": "str", "to": "str", "rel": "str"})


class GraphAnswerEdgesItem(_GraphAnswerEdgesItemRequired, total=False):
    via: str


class _GraphAnswerRequired(TypedDict):
    nodes: List[GraphAnswerNodesItem]
    edges: List[GraphAnswerEdgesItem]
    more: bool


class GraphAnswer(_GraphAnswerRequired, total=False):
    left: int


class IngestTracesAnswerPartialSuccess(TypedDict):
    rejectedSpans: str
    errorMessage: str


class IngestTracesAnswer(TypedDict, total=False):
    partialSuccess: IngestTracesAnswerPartialSuccess


class _ListActsAnswerActsItemRequired(TypedDict):
    id: str
    time: str
    act: str
    by: str


class ListActsAnswerActsItem(_ListActsAnswerActsItemRequired, total=False):
    tenant: str
    detail: Dict[str, str]


class ListActsAnswer(TypedDict):
    acts: List[ListActsAnswerActsItem]
    next: Optional[str]


class ListArtifactsAnswer(TypedDict):
    artifacts: List[Dict[str, Any]]
    next: Optional[str]


class ListConflictsAnswer(TypedDict):
    conflicts: List[GetConflictAnswer]
    next: Optional[str]


class ListEdgesAnswer(TypedDict):
    edges: List[Thing]
    next: Optional[str]


class ListEntitiesAnswer(TypedDict):
    entities: List[Thing]
    next: Optional[str]


class ListFeedbackAnswer(TypedDict):
    feedback: List[Thing]
    next: Optional[str]


class ListFingerprintsAnswerFingerprintsItem(TypedDict):
    uri: str
    hash: str
    actor: str
    trust: str
    visibility: str
    updated_at: str
    bytes: int
    origins: int
    tasks: int
    tools: int
    artifacts: int


class ListFingerprintsAnswer(TypedDict):
    fingerprints: List[ListFingerprintsAnswerFingerprintsItem]
    next: Optional[str]


class ListKeysAnswer(TypedDict):
    keys: List[CreateKeyAnswerKey]
    next: Optional[str]


class ListPoliciesAnswer(TypedDict):
    policies: List[Thing]
    next: Optional[str]


class ListRelationsAnswer(TypedDict):
    relations: List[Thing]
    next: Optional[str]


class ListSessionsAnswerSessionsItem(TypedDict):
    session_id: str
    events: int
    first: str
    last: str


class ListSessionsAnswer(TypedDict):
    sessions: List[ListSessionsAnswerSessionsItem]
    next: Optional[str]


class ListTagsAnswerTagsItem(TypedDict):
    tag: str
    memories: int


class ListTagsAnswer(TypedDict):
    tags: List[ListTagsAnswerTagsItem]
    next: Optional[str]


class ListTenantsAnswer(TypedDict):
    tenants: List[State]
    next: Optional[str]


class ListViolationsAnswer(TypedDict):
    violations: List[Thing]
    next: Optional[str]


class _MemoryHistoryAnswerVersionsItemRequired(TypedDict):
    version: int
    op: str
    position: int
    time: str
    actor: str
    trust: str


class MemoryHistoryAnswerVersionsItem(_MemoryHistoryAnswerVersionsItemRequired, total=False):
    reason: str
    body: Any


class MemoryHistoryAnswer(TypedDict):
    uri: str
    versions: List[MemoryHistoryAnswerVersionsItem]
    next: Optional[str]


class MemoryToolAnswer(TypedDict):
    content: str
    is_error: bool


class MintScopeInclude(TypedDict, total=False):
    all: bool
    pinned: bool
    types: List[str]
    tags: List[str]
    ids: List[str]
    frames: List[str]
    sections: List[str]
    sessions: List[str]


class MintScopeExclude(TypedDict, total=False):
    all: bool
    pinned: bool
    types: List[str]
    tags: List[str]
    ids: List[str]
    frames: List[str]
    sections: List[str]
    sessions: List[str]


class NeighboursAnswer(TypedDict):
    uri: str
    referrers: List[Thing]


class NextStepAnswerSuggestionsItem(TypedDict):
    tool: str
    probability: float
    reason: str
    artifacts: List[str]


class NextStepAnswer(TypedDict):
    session: str
    steps: int
    artifacts: int
    suggestions: List[NextStepAnswerSuggestionsItem]


class PutMemoryFramesItem(TypedDict):
    verb: Literal["find", "acquire", "build", "modify", "deliver", "analyze", "negotiate", "schedule", "monitor", "delegate"]
    kind: Literal["service", "model", "agent", "knowledge", "intent", "asset", "plan", "capability", "token", "address", "file", "repository", "tool", "person", "project", "url"]
    ref: str


class _RecordEventAnswerRequired(TypedDict):
    disposition: str


class RecordEventAnswer(_RecordEventAnswerRequired, total=False):
    event_id: str
    position: int
    warnings: int
    scrubbed: int
    code: str
    detail: str
    fix: str


class RedactMemoryAnswerTargetsItem(TypedDict):
    uri: str
    already_erased: bool


class _RedactMemoryAnswerRequired(TypedDict):
    erased: int
    already_erased: int
    targets: List[RedactMemoryAnswerTargetsItem]
    receipts: List[str]
    purged: bool
    size: int
    root: str


class RedactMemoryAnswer(_RedactMemoryAnswerRequired, total=False):
    redaction: int


class StatsAnswerEventTypesItem(TypedDict):
    name: str
    count: int


class StatsAnswerDaysItem(TypedDict):
    day: str
    events: int
    memories: int


class StatsAnswerMemoriesItem(TypedDict):
    type: str
    state: str
    count: int


class StatsAnswerToolsItem(TypedDict):
    tool: str
    calls: int
    ok: int
    failed: int


class StatsAnswerAgentsItem(TypedDict):
    agent_id: str
    events: int
    first: str
    last: str


class StatsAnswerStorage(TypedDict):
    journal: int
    segments: int
    index: int
    words: int
    vectors: int
    traces: int


class _StatsAnswerRequired(TypedDict):
    tenant: str
    erased: int
    events: int
    event_types: List[StatsAnswerEventTypesItem]
    days: List[StatsAnswerDaysItem]
    memories: List[StatsAnswerMemoriesItem]
    artifacts: List[StatsAnswerMemoriesItem]
    conflicts: List[StatsAnswerEventTypesItem]
    kinds: List[StatsAnswerEventTypesItem]
    tool_count: int
    tools: List[StatsAnswerToolsItem]
    sessions: int
    agent_count: int
    agents: List[StatsAnswerAgentsItem]


class StatsAnswer(_StatsAnswerRequired, total=False):
    root: str
    records: int
    first: str
    last: str
    recorded_from: str
    recorded_until: str
    other_calls: int
    newest_session: ListSessionsAnswerSessionsItem
    longest_session: ListSessionsAnswerSessionsItem
    storage: StatsAnswerStorage


class _TimelineAnswerMomentsItemResultRequired(TypedDict):
    uri: str
    position: int
    time: str
    took_ms: int
    text: str


class TimelineAnswerMomentsItemResult(_TimelineAnswerMomentsItemResultRequired, total=False):
    content: str


class _TimelineAnswerMomentsItemRequired(TypedDict):
    sort: str
    uri: str
    position: int
    sequence: int
    time: str
    gap_ms: int
    event_type: str
    agent_id: str
    text: str


class TimelineAnswerMomentsItem(_TimelineAnswerMomentsItemRequired, total=False):
    tool: str
    content: str
    outcome: str
    result: TimelineAnswerMomentsItemResult


class _TimelineAnswerMadeItemRequired(TypedDict):
    uri: str
    kind: str
    text: str
    updated_at: str


class TimelineAnswerMadeItem(_TimelineAnswerMadeItemRequired, total=False):
    type: str
    status: str


class TimelineAnswer(TypedDict):
    session: ListSessionsAnswerSessionsItem
    moments: List[TimelineAnswerMomentsItem]
    made: List[TimelineAnswerMadeItem]
    next: Optional[str]


class VerifierKeyAnswer(TypedDict):
    tenant: str
    key: str
    new: bool


class VerifyAnswerFindingsItem(TypedDict):
    where: str
    detail: str


class _VerifyAnswerRequired(TypedDict):
    ok: bool
    deep: bool
    tenants: int
    records: int
    bytes: int
    findings: List[VerifyAnswerFindingsItem]


class VerifyAnswer(_VerifyAnswerRequired, total=False):
    erased: int


class VerifyPackAnswerEntriesItem(TypedDict):
    source_id: str
    uri: str
    position: int
    leaf: str
    path: List[str]
    sources: int


class _VerifyPackAnswerRequired(TypedDict):
    size: int
    root: str
    digest: str
    records: int
    checkpoint: str
    remade: str
    entries: List[VerifyPackAnswerEntriesItem]


class VerifyPackAnswer(_VerifyPackAnswerRequired, total=False):
    unchecked: str


class Route(NamedTuple):
    """Route is how an operation is called."""

    method: str
    path: str
    # Names that stand in the path, and in the query.
    in_path: Tuple[str, ...]
    in_query: Tuple[str, ...]
    # What the body is: the other names (fields), one document, or nothing (none).
    body: str
    # Whether doing it twice is the same as doing it once.
    again: bool
    # What is answered.
    media: str


#: Those of all operations, by name.
ROUTES: Dict[str, Route] = {
    "approve_artifact": Route("POST", "/v1/artifacts/{id}/approve", ('id',), (), "fields", False, "application/json"),
    "archive_artifact": Route("POST", "/v1/artifacts/{id}/archive", ('id',), (), "fields", False, "application/json"),
    "artifact_chain": Route("GET", "/v1/artifacts/{id}/chain", ('id',), (), "none", True, "application/json"),
    "artifact_diff": Route("GET", "/v1/artifacts/{id}/diff", ('id',), ('from',), "none", True, "application/json"),
    "check_action": Route("POST", "/v1/check_action", (), (), "fields", True, "application/json"),
    "check_scope": Route("POST", "/v1/scopes/check", (), (), "fields", True, "application/json"),
    "checkpoint": Route("GET", "/v1/checkpoint", (), (), "none", True, "text/plain"),
    "compile": Route("POST", "/v1/compile", (), (), "fields", False, "application/json"),
    "context": Route("POST", "/v1/context", (), (), "fields", True, "application/json"),
    "create_key": Route("POST", "/v1/keys", (), (), "fields", False, "application/json"),
    "delete_memory": Route("DELETE", "/v1/memories/{key}", ('key',), ('reason',), "none", False, "application/json"),
    "deprecate_artifact": Route("POST", "/v1/artifacts/{id}/deprecate", ('id',), (), "fields", False, "application/json"),
    "describe": Route("GET", "/openapi.json", (), (), "none", True, "application/json"),
    "dismiss_conflict": Route("POST", "/v1/conflicts/{id}/dismiss", ('id',), (), "fields", False, "application/json"),
    "expire": Route("POST", "/v1/expire", (), (), "fields", False, "application/json"),
    "explain": Route("POST", "/v1/explain", (), (), "fields", True, "application/json"),
    "export": Route("GET", "/v1/export", (), (), "none", True, "application/x-ndjson"),
    "export_fingerprint": Route("GET", "/v1/fingerprint", (), ('agent',), "none", True, "application/json"),
    "feedback": Route("POST", "/v1/feedback", (), (), "fields", False, "application/json"),
    "find": Route("POST", "/v1/find", (), (), "fields", True, "application/json"),
    "forget": Route("POST", "/v1/forget", (), (), "fields", False, "application/json"),
    "get_artifact": Route("GET", "/v1/artifacts/{id}", ('id',), (), "none", True, "application/json"),
    "get_conflict": Route("GET", "/v1/conflicts/{id}", ('id',), (), "none", True, "application/json"),
    "get_key": Route("GET", "/v1/keys/{id}", ('id',), (), "none", True, "application/json"),
    "get_policy": Route("GET", "/v1/policies/{id}", ('id',), (), "none", True, "application/json"),
    "get_quota": Route("GET", "/v1/quota", (), (), "none", True, "application/json"),
    "graph": Route("GET", "/v1/graph", (), ('around', 'depth', 'limit', 'tags', 'agent_id'), "none", True, "application/json"),
    "health": Route("GET", "/healthz", (), (), "none", True, "application/json"),
    "import": Route("POST", "/v1/import", (), (), "document", True, "application/json"),
    "import_fingerprint": Route("POST", "/v1/fingerprints", (), ('private',), "document", False, "application/json"),
    "ingest": Route("POST", "/v1/events", (), (), "document", True, "application/json"),
    "ingest_traces": Route("POST", "/v1/otlp/v1/traces", (), (), "document", True, "application/json"),
    "ingest_ws": Route("GET", "/v1/ingest/ws", (), (), "none", True, ""),
    "list_acts": Route("GET", "/v1/acts", (), ('limit', 'after'), "none", True, "application/json"),
    "list_artifacts": Route("GET", "/v1/artifacts", (), ('type', 'status', 'all', 'tag', 'min_confidence', 'limit', 'after', 'now'), "none", True, "application/json"),
    "list_conflicts": Route("GET", "/v1/conflicts", (), ('status', 'all', 'limit', 'after'), "none", True, "application/json"),
    "list_edges": Route("GET", "/v1/graph/edges", (), ('type', 'tag', 'status', 'state', 'limit', 'after', 'now'), "none", True, "application/json"),
    "list_entities": Route("GET", "/v1/graph/entities", (), ('name', 'type', 'tag', 'status', 'state', 'limit', 'after', 'now'), "none", True, "application/json"),
    "list_events": Route("GET", "/v1/events", (), ('session', 'agent', 'trace', 'correlation', 'children_of', 'limit', 'after'), "none", True, "application/json"),
    "list_feedback": Route("GET", "/v1/feedback", (), ('type', 'tag', 'status', 'state', 'limit', 'after', 'now'), "none", True, "application/json"),
    "list_fingerprints": Route("GET", "/v1/fingerprints", (), ('limit', 'after'), "none", True, "application/json"),
    "list_keys": Route("GET", "/v1/keys", (), ('all', 'limit', 'after'), "none", True, "application/json"),
    "list_memories": Route("GET", "/v1/memories", (), ('type', 'tag', 'status', 'state', 'limit', 'after', 'now'), "none", True, "application/json"),
    "list_policies": Route("GET", "/v1/policies", (), ('type', 'tag', 'status', 'state', 'limit', 'after', 'now'), "none", True, "application/json"),
    "list_relations": Route("GET", "/v1/graph/relations", (), ('type', 'tag', 'status', 'state', 'limit', 'after', 'now'), "none", True, "application/json"),
    "list_sessions": Route("GET", "/v1/sessions", (), ('limit', 'after'), "none", True, "application/json"),
    "list_tags": Route("GET", "/v1/tags", (), ('limit', 'after'), "none", True, "application/json"),
    "list_tenants": Route("GET", "/v1/tenants", (), ('limit', 'after'), "none", True, "application/json"),
    "list_violations": Route("GET", "/v1/violations", (), ('type', 'tag', 'status', 'state', 'limit', 'after', 'now'), "none", True, "application/json"),
    "memory_history": Route("GET", "/v1/history", (), ('name', 'key', 'limit', 'after'), "none", True, "application/json"),
    "memory_tool": Route("POST", "/v1/memory_tool", (), (), "fields", False, "application/json"),
    "mint_scope": Route("POST", "/v1/scopes", (), (), "fields", False, "application/json"),
    "neighbours": Route("GET", "/v1/graph/neighbours", (), ('name', 'key'), "none", True, "application/json"),
    "next_step": Route("POST", "/v1/next_step", (), (), "fields", True, "application/json"),
    "pack": Route("POST", "/v1/pack", (), (), "fields", True, "application/json"),
    "pack_context": Route("POST", "/v1/pack_context", (), (), "fields", True, "text/markdown"),
    "pack_text": Route("POST", "/v1/pack_text", (), (), "fields", True, "text/markdown"),
    "prove_consistency": Route("GET", "/v1/proof/consistency", (), ('from', 'to'), "none", True, "application/json"),
    "prove_inclusion": Route("GET", "/v1/proof/inclusion", (), ('position', 'name', 'key', 'size', 'withhold'), "none", True, "application/json"),
    "put_entity": Route("POST", "/v1/graph/entities", (), (), "document", False, "application/json"),
    "put_memory": Route("PUT", "/v1/memories/{key}", ('key',), (), "fields", False, "application/json"),
    "put_policy": Route("POST", "/v1/policies", (), (), "document", False, "application/json"),
    "put_relation": Route("POST", "/v1/graph/relations", (), (), "document", False, "application/json"),
    "ready": Route("GET", "/readyz", (), (), "none", True, "application/json"),
    "recall": Route("GET", "/v1/memories/{key}", ('key',), ('version', 'form', 'now'), "none", True, "application/json"),
    "record_event": Route("POST", "/v1/sessions/{session_id}/events", ('session_id',), (), "fields", False, "application/json"),
    "redact_memory": Route("POST", "/v1/redact", (), (), "fields", False, "application/json"),
    "relate_memories": Route("POST", "/v1/graph/edges", (), (), "fields", False, "application/json"),
    "remember": Route("POST", "/v1/memories", (), (), "fields", False, "application/json"),
    "remember_if_absent": Route("POST", "/v1/memories/if_absent", (), (), "fields", False, "application/json"),
    "resolve": Route("GET", "/v1/resolve", (), ('name', 'key', 'version', 'at', 'now'), "none", True, "application/json"),
    "resolve_conflict": Route("POST", "/v1/conflicts/{id}/resolve", ('id',), (), "fields", False, "application/json"),
    "restore_memory": Route("POST", "/v1/restore", (), (), "fields", False, "application/json"),
    "revoke_key": Route("DELETE", "/v1/keys/{id}", ('id',), ('reason',), "none", False, "application/json"),
    "root": Route("GET", "/v1/root", (), (), "none", True, "application/json"),
    "search": Route("POST", "/v1/search", (), (), "fields", True, "application/json"),
    "set_quota": Route("PUT", "/v1/quota", (), (), "fields", False, "application/json"),
    "stats": Route("GET", "/v1/stats", (), ('days', 'top', 'agent_id'), "none", True, "application/json"),
    "storage": Route("GET", "/v1/storage", (), (), "none", True, "application/json"),
    "tail_events": Route("GET", "/v1/events/stream", (), ('session', 'agent', 'type', 'from'), "none", True, "text/event-stream"),
    "timeline": Route("GET", "/v1/sessions/{session_id}/timeline", ('session_id',), ('full', 'limit', 'after', 'agent_id'), "none", True, "application/json"),
    "verifier_key": Route("GET", "/v1/key", (), (), "none", True, "application/json"),
    "verify": Route("POST", "/v1/verify", (), (), "fields", False, "application/json"),
    "verify_pack": Route("POST", "/v1/packs/verify", (), (), "document", True, "application/json"),
}


class OperationMethods:
    """OperationMethods has a method for each operation that is one call and one answer."""

    @abstractmethod
    def call(self, name: str, fields: Optional[Dict[str, Any]] = None, options: Optional[CallOptions] = None) -> Any:
        """Asks an operation by its name."""

    def approve_artifact(
        self,
        id: str,
        *,
        reason: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ApproveArtifactAnswer:
        """Make a draft active."""
        return cast("ApproveArtifactAnswer", self.call("approve_artifact", {"id": id, "reason": reason}, options))

    def archive_artifact(
        self,
        id: str,
        reason: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> ApproveArtifactAnswer:
        """Retire an active artifact."""
        return cast("ApproveArtifactAnswer", self.call("archive_artifact", {"id": id, "reason": reason}, options))

    def artifact_chain(
        self,
        id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> ArtifactChainAnswer:
        """Show the versions of an artifact, who superseded what, when and why."""
        return cast("ArtifactChainAnswer", self.call("artifact_chain", {"id": id}, options))

    def artifact_diff(
        self,
        id: str,
        *,
        from_: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ArtifactDiffAnswer:
        """Show what changed from one version of an artifact to another."""
        return cast("ArtifactDiffAnswer", self.call("artifact_diff", {"id": id, "from": from_}, options))

    def check_action(
        self,
        *,
        tool: Optional[str] = None,
        arguments: Optional[Dict[str, Any]] = None,
        command: Optional[str] = None,
        branch: Optional[str] = None,
        session_id: Optional[str] = None,
        agent_id: Optional[str] = None,
        tags: Optional[List[str]] = None,
        now: Optional[str] = None,
        conditions: Optional[List[str]] = None,
        options: Optional[CallOptions] = None,
    ) -> CheckActionAnswer:
        """Check a planned action against rules and past failures."""
        return cast("CheckActionAnswer", self.call("check_action", {"tool": tool, "arguments": arguments, "command": command, "branch": branch, "session_id": session_id, "agent_id": agent_id, "tags": tags, "now": now, "conditions": conditions}, options))

    def check_scope(
        self,
        token: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> CheckScopeAnswer:
        """Show what a scope token says, and whether it is valid."""
        return cast("CheckScopeAnswer", self.call("check_scope", {"token": token}, options))

    def checkpoint(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> str:
        """Sign the state of the tenant (a C2SP note)."""
        return cast("str", self.call("checkpoint", {}, options))

    def compile(
        self,
        *,
        full: Optional[bool] = None,
        dry_run: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> CompileAnswer:
        """Derive artifacts from what happened, and memories from what users stated."""
        return cast("CompileAnswer", self.call("compile", {"full": full, "dry_run": dry_run}, options))

    def context(
        self,
        *,
        verb: Optional[Literal["find", "acquire", "build", "modify", "deliver", "analyze", "negotiate", "schedule", "monitor", "delegate"]] = None,
        objects: Optional[Dict[str, str]] = None,
        budget_tokens: Optional[int] = None,
        include_tiers: Optional[List[Literal["pinned", "frame_relevant", "outcomes"]]] = None,
        outcome_limit: Optional[int] = None,
        form: Optional[Literal["short", "medium", "full"]] = None,
        agent_id: Optional[str] = None,
        conditions: Optional[List[str]] = None,
        now: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Bundle:
        """What to know before a task: rules and goals, what matters for it, how it went before."""
        return cast("Bundle", self.call("context", {"verb": verb, "objects": objects, "budget_tokens": budget_tokens, "include_tiers": include_tiers, "outcome_limit": outcome_limit, "form": form, "agent_id": agent_id, "conditions": conditions, "now": now}, options))

    def create_key(
        self,
        role: Literal["operator", "tenant", "agent"],
        *,
        tenant: Optional[str] = None,
        agent: Optional[str] = None,
        rights: Optional[List[Literal["read", "write", "admin"]]] = None,
        trust: Optional[Literal["external", "tool", "agent", "user", "operator"]] = None,
        label: Optional[str] = None,
        expires_at: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> CreateKeyAnswer:
        """Make a credential; its token is shown once."""
        return cast("CreateKeyAnswer", self.call("create_key", {"role": role, "tenant": tenant, "agent": agent, "rights": rights, "trust": trust, "label": label, "expires_at": expires_at}, options))

    def delete_memory(
        self,
        key: str,
        *,
        reason: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Write:
        """Forget the memory under the key in the path."""
        return cast("Write", self.call("delete_memory", {"key": key, "reason": reason}, options))

    def deprecate_artifact(
        self,
        id: str,
        reason: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> ApproveArtifactAnswer:
        """Mark an artifact or a draft as wrong."""
        return cast("ApproveArtifactAnswer", self.call("deprecate_artifact", {"id": id, "reason": reason}, options))

    def describe(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> Dict[str, Any]:
        """This document."""
        return cast("Dict[str, Any]", self.call("describe", {}, options))

    def dismiss_conflict(
        self,
        id: str,
        reason: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> Write:
        """Dismiss a conflict: its sides do not contradict each other."""
        return cast("Write", self.call("dismiss_conflict", {"id": id, "reason": reason}, options))

    def expire(
        self,
        *,
        now: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ExpireAnswer:
        """Record the expiry of everything whose time is over."""
        return cast("ExpireAnswer", self.call("expire", {"now": now}, options))

    def explain(
        self,
        id: str,
        query: str,
        *,
        budget: Optional[int] = None,
        strategy: Optional[Literal["ranked", "recency_biased", "breadth_first", "depth_first", "fingerprint_guided"]] = None,
        counter: Optional[str] = None,
        agent_id: Optional[str] = None,
        session_id: Optional[str] = None,
        sections: Optional[List[Literal["core", "constraints", "goals", "procedures", "facts", "episodes", "graph_relations", "workflow", "conflicts", "evidence"]]] = None,
        section_weights: Optional[Dict[str, float]] = None,
        weights: Optional[Dict[str, float]] = None,
        min_relevance: Optional[float] = None,
        tags: Optional[List[str]] = None,
        priors: Optional[Dict[str, Any]] = None,
        as_of: Optional[str] = None,
        conditions: Optional[List[str]] = None,
        now: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ExplainAnswer:
        """Explain why a record is in a pack, or is not."""
        return cast("ExplainAnswer", self.call("explain", {"id": id, "query": query, "budget": budget, "strategy": strategy, "counter": counter, "agent_id": agent_id, "session_id": session_id, "sections": sections, "section_weights": section_weights, "weights": weights, "min_relevance": min_relevance, "tags": tags, "priors": priors, "as_of": as_of, "conditions": conditions, "now": now}, options))

    def export_fingerprint(
        self,
        *,
        agent: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Dict[str, Any]:
        """Return a digest of what the agents of the tenant learned, or one agent."""
        return cast("Dict[str, Any]", self.call("export_fingerprint", {"agent": agent}, options))

    def feedback(
        self,
        outcome: Literal["success", "failure", "partial"],
        cited: List[str],
        *,
        agent_id: Optional[str] = None,
        session_id: Optional[str] = None,
        score: Optional[float] = None,
        note: Optional[str] = None,
        id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Write:
        """Report the outcome of a task and which records it used, so that later answers are better."""
        return cast("Write", self.call("feedback", {"outcome": outcome, "cited": cited, "agent_id": agent_id, "session_id": session_id, "score": score, "note": note, "id": id}, options))

    def find(
        self,
        *,
        kinds: Optional[List[Literal["event", "memory", "edge", "entity", "relation", "conflict", "policy", "artifact", "feedback", "violation", "embedding", "fingerprint", "refinement"]]] = None,
        types: Optional[List[str]] = None,
        tags: Optional[List[str]] = None,
        key_prefix: Optional[str] = None,
        agent: Optional[str] = None,
        session: Optional[str] = None,
        after: Optional[str] = None,
        before: Optional[str] = None,
        frame: Optional[str] = None,
        status: Optional[str] = None,
        state: Optional[Literal["live", "forgotten", "expired"]] = None,
        held_at: Optional[str] = None,
        where: Optional[List[FindWhereItem]] = None,
        text: Optional[str] = None,
        follow: Optional[List[FindFollowItem]] = None,
        seeds: Optional[int] = None,
        order: Optional[Literal["salience", "time", "relevance"]] = None,
        limit: Optional[int] = None,
        budget_tokens: Optional[int] = None,
        form: Optional[Literal["short", "medium", "full"]] = None,
        agent_id: Optional[str] = None,
        as_of: Optional[str] = None,
        now: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> FindAnswer:
        """Find records that match all predicates, and follow edges from them."""
        return cast("FindAnswer", self.call("find", {"kinds": kinds, "types": types, "tags": tags, "key_prefix": key_prefix, "agent": agent, "session": session, "after": after, "before": before, "frame": frame, "status": status, "state": state, "held_at": held_at, "where": where, "text": text, "follow": follow, "seeds": seeds, "order": order, "limit": limit, "budget_tokens": budget_tokens, "form": form, "agent_id": agent_id, "as_of": as_of, "now": now}, options))

    def forget(
        self,
        *,
        name: Optional[str] = None,
        key: Optional[str] = None,
        reason: Optional[str] = None,
        if_version: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> Write:
        """Put a tombstone on a memory; its history stays."""
        return cast("Write", self.call("forget", {"name": name, "key": key, "reason": reason, "if_version": if_version}, options))

    def get_artifact(
        self,
        id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> GetArtifactAnswer:
        """Show an artifact and its evidence."""
        return cast("GetArtifactAnswer", self.call("get_artifact", {"id": id}, options))

    def get_conflict(
        self,
        id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> GetConflictAnswer:
        """Show a conflict and its sides."""
        return cast("GetConflictAnswer", self.call("get_conflict", {"id": id}, options))

    def get_key(
        self,
        id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> CreateKeyAnswerKey:
        """Show a credential, without its token."""
        return cast("CreateKeyAnswerKey", self.call("get_key", {"id": id}, options))

    def get_policy(
        self,
        id: str,
        *,
        options: Optional[CallOptions] = None,
    ) -> Thing:
        """Show a policy."""
        return cast("Thing", self.call("get_policy", {"id": id}, options))

    def get_quota(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> GetQuotaAnswer:
        """Show what the tenant may send and keep."""
        return cast("GetQuotaAnswer", self.call("get_quota", {}, options))

    def graph(
        self,
        *,
        around: Optional[str] = None,
        depth: Optional[int] = None,
        limit: Optional[int] = None,
        tags: Optional[bool] = None,
        agent_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> GraphAnswer:
        """Show records and their connections: around one of them, or the newest."""
        return cast("GraphAnswer", self.call("graph", {"around": around, "depth": depth, "limit": limit, "tags": tags, "agent_id": agent_id}, options))

    def health(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> Dict[str, Any]:
        """Whether the process answers."""
        return cast("Dict[str, Any]", self.call("health", {}, options))

    def import_fingerprint(
        self,
        document: Dict[str, Any],
        *,
        private: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> Write:
        """Store a fingerprint, so that it guides packs."""
        return cast("Write", self.call("import_fingerprint", {"document": document, "private": private}, options))

    def ingest_traces(
        self,
        document: Dict[str, Any],
        *,
        options: Optional[CallOptions] = None,
    ) -> IngestTracesAnswer:
        """Record the spans about generative AI of an OTLP/HTTP export request."""
        return cast("IngestTracesAnswer", self.call("ingest_traces", {"document": document}, options))

    def list_acts(
        self,
        *,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListActsAnswer:
        """List administrative acts, oldest first."""
        return cast("ListActsAnswer", self.call("list_acts", {"limit": limit, "after": after}, options))

    def list_artifacts(
        self,
        *,
        type: Optional[str] = None,
        status: Optional[Literal["draft", "active", "superseded", "deprecated", "archived"]] = None,
        all: Optional[bool] = None,
        tag: Optional[str] = None,
        min_confidence: Optional[float] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        now: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListArtifactsAnswer:
        """List artifacts: procedures, playbooks, policies."""
        return cast("ListArtifactsAnswer", self.call("list_artifacts", {"type": type, "status": status, "all": all, "tag": tag, "min_confidence": min_confidence, "limit": limit, "after": after, "now": now}, options))

    def list_conflicts(
        self,
        *,
        status: Optional[Literal["open", "resolved", "dismissed"]] = None,
        all: Optional[bool] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListConflictsAnswer:
        """List conflicts between records, newest first."""
        return cast("ListConflictsAnswer", self.call("list_conflicts", {"status": status, "all": all, "limit": limit, "after": after}, options))

    def list_edges(
        self,
        *,
        type: Optional[str] = None,
        tag: Optional[str] = None,
        status: Optional[str] = None,
        state: Optional[Literal["live", "forgotten", "expired"]] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        now: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListEdgesAnswer:
        """List the edges between records, newest first."""
        return cast("ListEdgesAnswer", self.call("list_edges", {"type": type, "tag": tag, "status": status, "state": state, "limit": limit, "after": after, "now": now}, options))

    def list_entities(
        self,
        *,
        name: Optional[str] = None,
        type: Optional[str] = None,
        tag: Optional[str] = None,
        status: Optional[str] = None,
        state: Optional[Literal["live", "forgotten", "expired"]] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        now: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListEntitiesAnswer:
        """List entities, newest first, or by name."""
        return cast("ListEntitiesAnswer", self.call("list_entities", {"name": name, "type": type, "tag": tag, "status": status, "state": state, "limit": limit, "after": after, "now": now}, options))

    def list_events(
        self,
        *,
        session: Optional[str] = None,
        agent: Optional[str] = None,
        trace: Optional[str] = None,
        correlation: Optional[str] = None,
        children_of: Optional[str] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Events:
        """Show the events of a session, an agent, a trace or a correlation, in order."""
        return cast("Events", self.call("list_events", {"session": session, "agent": agent, "trace": trace, "correlation": correlation, "children_of": children_of, "limit": limit, "after": after}, options))

    def list_feedback(
        self,
        *,
        type: Optional[str] = None,
        tag: Optional[str] = None,
        status: Optional[str] = None,
        state: Optional[Literal["live", "forgotten", "expired"]] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        now: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListFeedbackAnswer:
        """List feedback about tasks, newest first."""
        return cast("ListFeedbackAnswer", self.call("list_feedback", {"type": type, "tag": tag, "status": status, "state": state, "limit": limit, "after": after, "now": now}, options))

    def list_fingerprints(
        self,
        *,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListFingerprintsAnswer:
        """List the fingerprints that were imported, newest first."""
        return cast("ListFingerprintsAnswer", self.call("list_fingerprints", {"limit": limit, "after": after}, options))

    def list_keys(
        self,
        *,
        all: Optional[bool] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListKeysAnswer:
        """List credentials, oldest first, without their tokens: the valid ones, or all."""
        return cast("ListKeysAnswer", self.call("list_keys", {"all": all, "limit": limit, "after": after}, options))

    def list_memories(
        self,
        *,
        type: Optional[str] = None,
        tag: Optional[str] = None,
        status: Optional[str] = None,
        state: Optional[Literal["live", "forgotten", "expired"]] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        now: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Things:
        """List memories, newest first."""
        return cast("Things", self.call("list_memories", {"type": type, "tag": tag, "status": status, "state": state, "limit": limit, "after": after, "now": now}, options))

    def list_policies(
        self,
        *,
        type: Optional[str] = None,
        tag: Optional[str] = None,
        status: Optional[str] = None,
        state: Optional[Literal["live", "forgotten", "expired"]] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        now: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListPoliciesAnswer:
        """List policies, newest first."""
        return cast("ListPoliciesAnswer", self.call("list_policies", {"type": type, "tag": tag, "status": status, "state": state, "limit": limit, "after": after, "now": now}, options))

    def list_relations(
        self,
        *,
        type: Optional[str] = None,
        tag: Optional[str] = None,
        status: Optional[str] = None,
        state: Optional[Literal["live", "forgotten", "expired"]] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        now: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListRelationsAnswer:
        """List relations between entities, newest first."""
        return cast("ListRelationsAnswer", self.call("list_relations", {"type": type, "tag": tag, "status": status, "state": state, "limit": limit, "after": after, "now": now}, options))

    def list_sessions(
        self,
        *,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListSessionsAnswer:
        """List the sessions, ordered by id."""
        return cast("ListSessionsAnswer", self.call("list_sessions", {"limit": limit, "after": after}, options))

    def list_tags(
        self,
        *,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListTagsAnswer:
        """List the tags of memories, with how many have each."""
        return cast("ListTagsAnswer", self.call("list_tags", {"limit": limit, "after": after}, options))

    def list_tenants(
        self,
        *,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListTenantsAnswer:
        """List the tenants, with their roots."""
        return cast("ListTenantsAnswer", self.call("list_tenants", {"limit": limit, "after": after}, options))

    def list_violations(
        self,
        *,
        type: Optional[str] = None,
        tag: Optional[str] = None,
        status: Optional[str] = None,
        state: Optional[Literal["live", "forgotten", "expired"]] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        now: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> ListViolationsAnswer:
        """List what scopes refused, newest first."""
        return cast("ListViolationsAnswer", self.call("list_violations", {"type": type, "tag": tag, "status": status, "state": state, "limit": limit, "after": after, "now": now}, options))

    def memory_history(
        self,
        *,
        name: Optional[str] = None,
        key: Optional[str] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> MemoryHistoryAnswer:
        """Show the versions of a memory, oldest first."""
        return cast("MemoryHistoryAnswer", self.call("memory_history", {"name": name, "key": key, "limit": limit, "after": after}, options))

    def memory_tool(
        self,
        command: Literal["view", "create", "str_replace", "insert", "delete", "rename"],
        *,
        path: Optional[str] = None,
        view_range: Optional[List[int]] = None,
        file_text: Optional[str] = None,
        old_str: Optional[str] = None,
        new_str: Optional[str] = None,
        insert_line: Optional[int] = None,
        insert_text: Optional[str] = None,
        old_path: Optional[str] = None,
        new_path: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> MemoryToolAnswer:
        """Run a command of Anthropic's memory tool on files below /memories."""
        return cast("MemoryToolAnswer", self.call("memory_tool", {"command": command, "path": path, "view_range": view_range, "file_text": file_text, "old_str": old_str, "new_str": new_str, "insert_line": insert_line, "insert_text": insert_text, "old_path": old_path, "new_path": new_path}, options))

    def mint_scope(
        self,
        to: str,
        include: MintScopeInclude,
        expires_at: str,
        *,
        mode: Optional[Literal["read", "write"]] = None,
        exclude: Optional[MintScopeExclude] = None,
        budget_tokens: Optional[int] = None,
        not_before: Optional[str] = None,
        trust: Optional[Literal["external", "tool", "agent", "user", "operator"]] = None,
        options: Optional[CallOptions] = None,
    ) -> CheckScopeAnswer:
        """Make a scope token: what another agent may see and do, until when."""
        return cast("CheckScopeAnswer", self.call("mint_scope", {"to": to, "include": include, "expires_at": expires_at, "mode": mode, "exclude": exclude, "budget_tokens": budget_tokens, "not_before": not_before, "trust": trust}, options))

    def neighbours(
        self,
        *,
        name: Optional[str] = None,
        key: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> NeighboursAnswer:
        """Show what refers to a record or an event: edges, relations, conflicts, feedback, what was derived from it."""
        return cast("NeighboursAnswer", self.call("neighbours", {"name": name, "key": key}, options))

    def next_step(
        self,
        session_id: str,
        *,
        limit: Optional[int] = None,
        tags: Optional[List[str]] = None,
        conditions: Optional[List[str]] = None,
        options: Optional[CallOptions] = None,
    ) -> NextStepAnswer:
        """Suggest which tool a session may call next, and why."""
        return cast("NextStepAnswer", self.call("next_step", {"session_id": session_id, "limit": limit, "tags": tags, "conditions": conditions}, options))

    def pack(
        self,
        query: str,
        *,
        budget: Optional[int] = None,
        strategy: Optional[Literal["ranked", "recency_biased", "breadth_first", "depth_first", "fingerprint_guided"]] = None,
        counter: Optional[str] = None,
        agent_id: Optional[str] = None,
        session_id: Optional[str] = None,
        sections: Optional[List[Literal["core", "constraints", "goals", "procedures", "facts", "episodes", "graph_relations", "workflow", "conflicts", "evidence"]]] = None,
        section_weights: Optional[Dict[str, float]] = None,
        weights: Optional[Dict[str, float]] = None,
        min_relevance: Optional[float] = None,
        tags: Optional[List[str]] = None,
        priors: Optional[Dict[str, Any]] = None,
        as_of: Optional[str] = None,
        conditions: Optional[List[str]] = None,
        now: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Pack:
        """Return what an agent needs to know for a question, within a budget of tokens."""
        return cast("Pack", self.call("pack", {"query": query, "budget": budget, "strategy": strategy, "counter": counter, "agent_id": agent_id, "session_id": session_id, "sections": sections, "section_weights": section_weights, "weights": weights, "min_relevance": min_relevance, "tags": tags, "priors": priors, "as_of": as_of, "conditions": conditions, "now": now}, options))

    def pack_context(
        self,
        topic: str,
        *,
        budget_tokens: Optional[int] = None,
        ordering: Optional[Literal["relevance", "recency", "relevance+recency"]] = None,
        conditions: Optional[List[str]] = None,
        options: Optional[CallOptions] = None,
    ) -> str:
        """Fill a token budget with what is known about a topic, as markdown."""
        return cast("str", self.call("pack_context", {"topic": topic, "budget_tokens": budget_tokens, "ordering": ordering, "conditions": conditions}, options))

    def pack_text(
        self,
        query: str,
        *,
        budget: Optional[int] = None,
        strategy: Optional[Literal["ranked", "recency_biased", "breadth_first", "depth_first", "fingerprint_guided"]] = None,
        counter: Optional[str] = None,
        agent_id: Optional[str] = None,
        session_id: Optional[str] = None,
        sections: Optional[List[Literal["core", "constraints", "goals", "procedures", "facts", "episodes", "graph_relations", "workflow", "conflicts", "evidence"]]] = None,
        section_weights: Optional[Dict[str, float]] = None,
        weights: Optional[Dict[str, float]] = None,
        min_relevance: Optional[float] = None,
        tags: Optional[List[str]] = None,
        priors: Optional[Dict[str, Any]] = None,
        as_of: Optional[str] = None,
        conditions: Optional[List[str]] = None,
        now: Optional[str] = None,
        marked: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> str:
        """Return a pack as markdown, to put into a prompt."""
        return cast("str", self.call("pack_text", {"query": query, "budget": budget, "strategy": strategy, "counter": counter, "agent_id": agent_id, "session_id": session_id, "sections": sections, "section_weights": section_weights, "weights": weights, "min_relevance": min_relevance, "tags": tags, "priors": priors, "as_of": as_of, "conditions": conditions, "now": now, "marked": marked}, options))

    def prove_consistency(
        self,
        from_: int,
        *,
        to: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> Dict[str, Any]:
        """Prove that the tenant's log only grew."""
        return cast("Dict[str, Any]", self.call("prove_consistency", {"from": from_, "to": to}, options))

    def prove_inclusion(
        self,
        *,
        position: Optional[int] = None,
        name: Optional[str] = None,
        key: Optional[str] = None,
        size: Optional[int] = None,
        withhold: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> Dict[str, Any]:
        """Prove that a record is in the tenant's log."""
        return cast("Dict[str, Any]", self.call("prove_inclusion", {"position": position, "name": name, "key": key, "size": size, "withhold": withhold}, options))

    def put_entity(
        self,
        document: Dict[str, Any],
        *,
        options: Optional[CallOptions] = None,
    ) -> Write:
        """Store an entity: a person, system or object that records mention."""
        return cast("Write", self.call("put_entity", {"document": document}, options))

    def put_memory(
        self,
        key: str,
        text: str,
        *,
        type: Optional[Literal["identity", "fact", "preference", "belief", "event", "goal", "constraint", "capability", "pattern"]] = None,
        tags: Optional[List[str]] = None,
        frames: Optional[List[PutMemoryFramesItem]] = None,
        importance: Optional[float] = None,
        confidence: Optional[float] = None,
        data: Optional[Dict[str, Any]] = None,
        valid_from: Optional[str] = None,
        valid_until: Optional[str] = None,
        ttl_seconds: Optional[int] = None,
        visibility: Optional[Literal["private", "tenant"]] = None,
        validity_scope: Optional[Dict[str, Any]] = None,
        sources: Optional[List[str]] = None,
        forms: Optional[Dict[str, Any]] = None,
        metadata: Optional[Dict[str, Any]] = None,
        if_version: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> Write:
        """Store a memory under the key in the path."""
        return cast("Write", self.call("put_memory", {"key": key, "text": text, "type": type, "tags": tags, "frames": frames, "importance": importance, "confidence": confidence, "data": data, "valid_from": valid_from, "valid_until": valid_until, "ttl_seconds": ttl_seconds, "visibility": visibility, "validity_scope": validity_scope, "sources": sources, "forms": forms, "metadata": metadata, "if_version": if_version}, options))

    def put_policy(
        self,
        document: Dict[str, Any],
        *,
        options: Optional[CallOptions] = None,
    ) -> Write:
        """Store a policy: an instruction or constraint for agents, or how long records are kept."""
        return cast("Write", self.call("put_policy", {"document": document}, options))

    def put_relation(
        self,
        document: Dict[str, Any],
        *,
        options: Optional[CallOptions] = None,
    ) -> Write:
        """Store a relation between two entities."""
        return cast("Write", self.call("put_relation", {"document": document}, options))

    def ready(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> Dict[str, Any]:
        """Whether calls are served."""
        return cast("Dict[str, Any]", self.call("ready", {}, options))

    def recall(
        self,
        key: str,
        *,
        version: Optional[int] = None,
        form: Optional[Literal["short", "medium", "full"]] = None,
        now: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Thing:
        """Show what is remembered under a key, now or at a version."""
        return cast("Thing", self.call("recall", {"key": key, "version": version, "form": form, "now": now}, options))

    def record_event(
        self,
        session_id: str,
        event_type: str,
        content: Dict[str, Any],
        *,
        agent_id: Optional[str] = None,
        event_id: Optional[str] = None,
        timestamp: Optional[str] = None,
        sequence: Optional[int] = None,
        parent_event_id: Optional[str] = None,
        trace_id: Optional[str] = None,
        correlation_id: Optional[str] = None,
        source: Optional[str] = None,
        tags: Optional[List[str]] = None,
        ttl_seconds: Optional[int] = None,
        metadata: Optional[Dict[str, Any]] = None,
        options: Optional[CallOptions] = None,
    ) -> RecordEventAnswer:
        """Record something that was said or done in a session."""
        return cast("RecordEventAnswer", self.call("record_event", {"session_id": session_id, "event_type": event_type, "content": content, "agent_id": agent_id, "event_id": event_id, "timestamp": timestamp, "sequence": sequence, "parent_event_id": parent_event_id, "trace_id": trace_id, "correlation_id": correlation_id, "source": source, "tags": tags, "ttl_seconds": ttl_seconds, "metadata": metadata}, options))

    def redact_memory(
        self,
        *,
        names: Optional[List[str]] = None,
        keys: Optional[List[str]] = None,
        purge: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> RedactMemoryAnswer:
        """Erase memories and events for good, with their history; needs the right admin."""
        return cast("RedactMemoryAnswer", self.call("redact_memory", {"names": names, "keys": keys, "purge": purge}, options))

    def relate_memories(
        self,
        from_: str,
        to: str,
        kind: str,
        *,
        weight: Optional[float] = None,
        id: Optional[str] = None,
        sources: Optional[List[str]] = None,
        metadata: Optional[Dict[str, Any]] = None,
        options: Optional[CallOptions] = None,
    ) -> Write:
        """Connect two records: one supports, contradicts, causes \u2026 the other."""
        return cast("Write", self.call("relate_memories", {"from": from_, "to": to, "kind": kind, "weight": weight, "id": id, "sources": sources, "metadata": metadata}, options))

    def remember(
        self,
        text: str,
        *,
        key: Optional[str] = None,
        id: Optional[str] = None,
        type: Optional[Literal["identity", "fact", "preference", "belief", "event", "goal", "constraint", "capability", "pattern"]] = None,
        tags: Optional[List[str]] = None,
        frames: Optional[List[PutMemoryFramesItem]] = None,
        importance: Optional[float] = None,
        confidence: Optional[float] = None,
        data: Optional[Dict[str, Any]] = None,
        valid_from: Optional[str] = None,
        valid_until: Optional[str] = None,
        ttl_seconds: Optional[int] = None,
        visibility: Optional[Literal["private", "tenant"]] = None,
        validity_scope: Optional[Dict[str, Any]] = None,
        sources: Optional[List[str]] = None,
        forms: Optional[Dict[str, Any]] = None,
        metadata: Optional[Dict[str, Any]] = None,
        if_version: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> Write:
        """Store a memory under a key; an existing key gets a new version."""
        return cast("Write", self.call("remember", {"text": text, "key": key, "id": id, "type": type, "tags": tags, "frames": frames, "importance": importance, "confidence": confidence, "data": data, "valid_from": valid_from, "valid_until": valid_until, "ttl_seconds": ttl_seconds, "visibility": visibility, "validity_scope": validity_scope, "sources": sources, "forms": forms, "metadata": metadata, "if_version": if_version}, options))

    def remember_if_absent(
        self,
        key: str,
        text: str,
        *,
        type: Optional[Literal["identity", "fact", "preference", "belief", "event", "goal", "constraint", "capability", "pattern"]] = None,
        tags: Optional[List[str]] = None,
        frames: Optional[List[PutMemoryFramesItem]] = None,
        importance: Optional[float] = None,
        confidence: Optional[float] = None,
        data: Optional[Dict[str, Any]] = None,
        valid_from: Optional[str] = None,
        valid_until: Optional[str] = None,
        ttl_seconds: Optional[int] = None,
        visibility: Optional[Literal["private", "tenant"]] = None,
        validity_scope: Optional[Dict[str, Any]] = None,
        sources: Optional[List[str]] = None,
        forms: Optional[Dict[str, Any]] = None,
        metadata: Optional[Dict[str, Any]] = None,
        if_version: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> Thing:
        """Store a memory unless its key exists; then return the existing one."""
        return cast("Thing", self.call("remember_if_absent", {"key": key, "text": text, "type": type, "tags": tags, "frames": frames, "importance": importance, "confidence": confidence, "data": data, "valid_from": valid_from, "valid_until": valid_until, "ttl_seconds": ttl_seconds, "visibility": visibility, "validity_scope": validity_scope, "sources": sources, "forms": forms, "metadata": metadata, "if_version": if_version}, options))

    def resolve(
        self,
        *,
        name: Optional[str] = None,
        key: Optional[str] = None,
        version: Optional[int] = None,
        at: Optional[int] = None,
        now: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Dict[str, Any]:
        """Show what a URI or a key names: an event, or a record of any kind."""
        return cast("Dict[str, Any]", self.call("resolve", {"name": name, "key": key, "version": version, "at": at, "now": now}, options))

    def resolve_conflict(
        self,
        id: str,
        reason: str,
        *,
        keep: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Write:
        """Settle a conflict, and name the side that holds."""
        return cast("Write", self.call("resolve_conflict", {"id": id, "reason": reason, "keep": keep}, options))

    def restore_memory(
        self,
        *,
        name: Optional[str] = None,
        key: Optional[str] = None,
        version: Optional[int] = None,
        if_version: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> Write:
        """Bring back what is forgotten, or an earlier version."""
        return cast("Write", self.call("restore_memory", {"name": name, "key": key, "version": version, "if_version": if_version}, options))

    def revoke_key(
        self,
        id: str,
        *,
        reason: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> CreateKeyAnswerKey:
        """End a credential at once, open connections included."""
        return cast("CreateKeyAnswerKey", self.call("revoke_key", {"id": id, "reason": reason}, options))

    def root(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> State:
        """Name the state of the tenant: how many records, and the root over them."""
        return cast("State", self.call("root", {}, options))

    def search(
        self,
        query: str,
        *,
        top_k: Optional[int] = None,
        kinds: Optional[List[Literal["event", "memory", "edge", "entity", "relation", "conflict", "policy", "artifact", "feedback", "violation", "embedding", "fingerprint", "refinement"]]] = None,
        types: Optional[List[str]] = None,
        agents: Optional[List[str]] = None,
        sessions: Optional[List[str]] = None,
        tags: Optional[List[str]] = None,
        since: Optional[str] = None,
        until: Optional[str] = None,
        min_trust: Optional[Literal["external", "tool", "agent", "user", "operator"]] = None,
        only: Optional[Literal["words", "meaning"]] = None,
        budget_tokens: Optional[int] = None,
        form: Optional[Literal["short", "medium", "full"]] = None,
        explain: Optional[bool] = None,
        agent_id: Optional[str] = None,
        as_of: Optional[str] = None,
        now: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> Searched:
        """Find what answers a question, the best first."""
        return cast("Searched", self.call("search", {"query": query, "top_k": top_k, "kinds": kinds, "types": types, "agents": agents, "sessions": sessions, "tags": tags, "since": since, "until": until, "min_trust": min_trust, "only": only, "budget_tokens": budget_tokens, "form": form, "explain": explain, "agent_id": agent_id, "as_of": as_of, "now": now}, options))

    def set_quota(
        self,
        *,
        requests_per_second: Optional[float] = None,
        events_per_second: Optional[float] = None,
        bytes_per_second: Optional[float] = None,
        max_records: Optional[int] = None,
        max_bytes: Optional[int] = None,
        options: Optional[CallOptions] = None,
    ) -> GetQuotaAnswer:
        """Set what the tenant may send and keep."""
        return cast("GetQuotaAnswer", self.call("set_quota", {"requests_per_second": requests_per_second, "events_per_second": events_per_second, "bytes_per_second": bytes_per_second, "max_records": max_records, "max_bytes": max_bytes}, options))

    def stats(
        self,
        *,
        days: Optional[int] = None,
        top: Optional[int] = None,
        agent_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> StatsAnswer:
        """Count events, memories, artifacts, sessions and agents, by day, and calls of tools with their outcomes."""
        return cast("StatsAnswer", self.call("stats", {"days": days, "top": top, "agent_id": agent_id}, options))

    def storage(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> StatsAnswerStorage:
        """Show how much disk space the data directory takes."""
        return cast("StatsAnswerStorage", self.call("storage", {}, options))

    def timeline(
        self,
        session_id: str,
        *,
        full: Optional[bool] = None,
        limit: Optional[int] = None,
        after: Optional[str] = None,
        agent_id: Optional[str] = None,
        options: Optional[CallOptions] = None,
    ) -> TimelineAnswer:
        """Show a session step by step: what was said and done, how it went, and what was learned from it."""
        return cast("TimelineAnswer", self.call("timeline", {"session_id": session_id, "full": full, "limit": limit, "after": after, "agent_id": agent_id}, options))

    def verifier_key(
        self,
        *,
        options: Optional[CallOptions] = None,
    ) -> VerifierKeyAnswer:
        """Show the public key that verifies signatures."""
        return cast("VerifierKeyAnswer", self.call("verifier_key", {}, options))

    def verify(
        self,
        *,
        deep: Optional[bool] = None,
        options: Optional[CallOptions] = None,
    ) -> VerifyAnswer:
        """Verify the data directory: quickly, or to the last byte."""
        return cast("VerifyAnswer", self.call("verify", {"deep": deep}, options))

    def verify_pack(
        self,
        document: Pack,
        *,
        options: Optional[CallOptions] = None,
    ) -> VerifyPackAnswer:
        """Prove what a pack says, entry by entry, down to the journal."""
        return cast("VerifyPackAnswer", self.call("verify_pack", {"document": document}, options))
