// Made by scripts/generate.mjs of ../openapi.json. Do not edit.
import type { CallOptions } from "./client.js";
import type { HMXEvent, Pack } from "./hmx.js";

/** A JSON object of which nothing more is known. */
export type JSONObject = { [name: string]: unknown };

/** ApproveArtifactAnswer is what approve_artifact answers. */
export interface ApproveArtifactAnswer {
  uri: string;
  version: number;
  position: number;
  trust: string;
  unchanged: boolean;
  size: number;
  root: string;
  scrubbed?: number;
  from: string;
  to: string;
  superseded?: string;
}

/** ArtifactChainAnswer is what artifact_chain answers. */
export interface ArtifactChainAnswer {
  uri: string;
  versions: {
    artifact_id: string;
    version: number;
    status: string;
    title: string;
    confidence: number;
    content_hash: string;
    events: number;
    supersedes?: string;
    superseded_by?: string;
    changes: {
      status: string;
      time: string;
      actor: string;
      trust: string;
      position: number;
      superseded_by?: string;
      reason?: string;
    }[];
  }[];
}

/** ArtifactDiffAnswer is what artifact_diff answers. */
export interface ArtifactDiffAnswer {
  from: {
    artifact_id: string;
    version: number;
  };
  to: {
    artifact_id: string;
    version: number;
  };
  changes: {
    path: string;
    op: string;
    from?: unknown;
    to?: unknown;
  }[];
  events_added: number;
  events_removed: number;
}

/** Bundle is what context answers. */
export interface Bundle {
  pinned: {
    uri: string;
    id: string;
    kind: string;
    type: string;
    key?: string;
    status?: string;
    version?: number;
    trust: string;
    actor: string;
    agent?: string;
    session?: string;
    tags?: string[];
    created_at: string;
    updated_at: string;
    text: string;
  }[];
  frame_relevant: {
    uri: string;
    id: string;
    kind: string;
    type: string;
    key?: string;
    status?: string;
    version?: number;
    trust: string;
    actor: string;
    agent?: string;
    session?: string;
    tags?: string[];
    created_at: string;
    updated_at: string;
    text: string;
  }[];
  outcomes: {
    uri: string;
    id: string;
    kind: string;
    type: string;
    key?: string;
    status?: string;
    version?: number;
    trust: string;
    actor: string;
    agent?: string;
    session?: string;
    tags?: string[];
    created_at: string;
    updated_at: string;
    text: string;
  }[];
  rendered: { [name: string]: string };
  tokens: { [name: string]: number };
  scores: { [name: string]: number };
  reachable_uris: string[];
  total_tokens: number;
  trimmed: number;
  latency_ms: number;
  form: string;
  budget_tokens: number;
  counter: string;
  tenant: string;
  size: number;
  root: string;
}

/** CheckActionAnswer is what check_action answers. */
export interface CheckActionAnswer {
  level: string;
  tool: string;
  shape: string;
  same: boolean;
  tried: number;
  went: number;
  success_rate: number | null;
  judged: number;
  succeeded: number;
  last: {
    time: string;
    went: boolean;
    error?: string;
    event?: string;
  } | null;
  reasons: {
    level: string;
    text: string;
    source?: string;
    quote?: string;
    rule?: {
      text: string;
      strength: string;
      stated_by?: string;
      stated_at?: string;
      scope?: string;
      lift: string;
    };
    refusal?: string;
  }[];
  instead: {
    text: string;
    tool?: string;
    source?: string;
  }[];
  behind: {
    past: number;
    more: boolean;
    rules: number;
    artifacts: number;
  };
}

/** CheckScopeAnswer is what check_scope answers. */
export interface CheckScopeAnswer {
  token?: string;
  out?: string;
  id: string;
  tenant: string;
  grants: {
    by?: string;
    to?: string;
    mode?: string;
    include?: {
      all?: boolean;
      pinned?: boolean;
      types?: string[];
      tags?: string[];
      ids?: string[];
      frames?: string[];
      sections?: string[];
      sessions?: string[];
    };
    exclude?: {
      all?: boolean;
      pinned?: boolean;
      types?: string[];
      tags?: string[];
      ids?: string[];
      frames?: string[];
      sections?: string[];
      sessions?: string[];
    };
    budget_tokens?: number;
    not_before?: string;
    expires_at?: string;
    trust?: string;
  }[];
  effective: {
    by?: string;
    to?: string;
    mode?: string;
    include?: {
      all?: boolean;
      pinned?: boolean;
      types?: string[];
      tags?: string[];
      ids?: string[];
      frames?: string[];
      sections?: string[];
      sessions?: string[];
    };
    exclude?: {
      all?: boolean;
      pinned?: boolean;
      types?: string[];
      tags?: string[];
      ids?: string[];
      frames?: string[];
      sections?: string[];
      sessions?: string[];
    };
    budget_tokens?: number;
    not_before?: string;
    expires_at?: string;
    trust?: string;
  };
  sealed: boolean;
  verified?: boolean;
  unverified?: string;
  problem?: string;
}

/** CompileAnswer is what compile answers. */
export interface CompileAnswer {
  dry_run: boolean;
  sessions: number;
  events: number;
  tasks: number;
  changes: {
    op: string;
    uri: string;
    class?: string;
    title?: string;
    reason?: string;
  }[];
  unchanged: number;
  tenant: string;
  size: number;
  root: string;
  time?: string;
}

/** CreateKeyAnswer is what create_key answers. */
export interface CreateKeyAnswer {
  token: string;
  key: GetKeyAnswer;
}

/** Events is what list_events answers. */
export interface Events {
  events: {
    uri: string;
    kind: string;
    position: number;
    recorded_at: string;
    actor: string;
    trust: string;
    event: unknown;
  }[];
  next: string | null;
}

/** ExpireAnswer is what expire answers. */
export interface ExpireAnswer {
  things: number;
  events: number;
  tenant: string;
  size: number;
  root: string;
  time?: string;
}

/** ExplainAnswer is what explain answers. */
export interface ExplainAnswer {
  pack_id: string;
  uri?: string;
  in: boolean;
  reason: string;
  detail: string;
  verdict?: {
    section: string;
    rank: number;
    score: number;
    parts: {
      relevance: number;
      recency: number;
      provenance: number;
      salience: number;
    };
    tokens: number;
    of?: number;
    pass?: number;
    truncated: boolean;
  };
}

/** FindAnswer is what find answers. */
export interface FindAnswer {
  hits: {
    uri: string;
    id: string;
    kind: string;
    score: number;
    factors: {
      recency: number;
      access: number;
      citations: number;
      importance: number;
      similarity?: number;
    };
    text: string;
    tokens: number;
    hops: number;
    path?: string[];
    thing?: Thing;
    event?: {
      uri: string;
      kind: string;
      position: number;
      recorded_at: string;
      actor: string;
      trust: string;
      event: unknown;
    };
  }[];
  scanned: number;
  matched: number;
  reached: number;
  trimmed: number;
  total_tokens: number;
  budget_tokens?: number;
  form: string;
  order: string;
  counter: string;
  tenant: string;
  size: number;
  root: string;
  time?: string;
}

/** GetArtifactAnswer is what get_artifact answers. */
export interface GetArtifactAnswer {
  uri: string;
  artifact: JSONObject | null;
  trust: string;
  actor: string;
  position: number;
  recorded_at: string;
  hash_verified: boolean;
  refined?: {
    uri: string;
    model: string;
    title: string;
    summary: string;
    written_at: string;
  };
  evidence: {
    events: number;
    memories: number;
    missing_count: number;
    missing: string[];
  };
  conflicts: string[];
  changes: {
    status: string;
    time: string;
    actor: string;
    trust: string;
    position: number;
    superseded_by?: string;
    reason?: string;
  }[];
}

/** GetConflictAnswer is what get_conflict answers. */
export interface GetConflictAnswer {
  uri: string;
  kind: string;
  version: number;
  state: string;
  reason?: string;
  status?: string;
  trust: string;
  actor: string;
  created_at: string;
  updated_at: string;
  expires_at?: string;
  valid: boolean;
  position: number;
  form?: string;
  rendered?: string;
  body: unknown;
  sides: {
    uri: string;
    state?: string;
    trust?: string;
    text?: string;
  }[];
}

/** GetKeyAnswer is what get_key answers. */
export interface GetKeyAnswer {
  id: string;
  role: string;
  tenant?: string;
  agent?: string;
  rights: string[];
  trust: string;
  label?: string;
  state: string;
  created_by: string;
  created_at: string;
  expires_at?: string;
  revoked_at?: string;
  reason?: string;
}

/** GetQuotaAnswer is what get_quota answers. */
export interface GetQuotaAnswer {
  tenant: string;
  limits: {
    requests_per_second?: number;
    events_per_second?: number;
    bytes_per_second?: number;
    max_records?: number;
    max_bytes?: number;
  };
}

/** GraphAnswer is what graph answers. */
export interface GraphAnswer {
  nodes: {
    id: string;
    kind: string;
    type?: string;
    label: string;
  }[];
  edges: {
    from: string;
    to: string;
    rel: string;
    via?: string;
  }[];
  more: boolean;
  left?: number;
}

/** IngestTracesAnswer is what ingest_traces answers. */
export interface IngestTracesAnswer {
  partialSuccess?: {
    rejectedSpans: string;
    errorMessage: string;
  };
}

/** Intake is what ingest answers. */
export interface Intake {
  accepted: number;
  duplicates: number;
  late: number;
  rejected: {
    file?: string;
    index: number;
    line?: number;
    code: string;
    detail: string;
  }[];
  omitted: number;
  warnings: number;
  scrubbed?: number;
  own?: number;
  position?: number;
  root?: string;
  tenants: State[];
}

/** ListActsAnswer is what list_acts answers. */
export interface ListActsAnswer {
  acts: {
    id: string;
    time: string;
    act: string;
    by: string;
    tenant?: string;
    detail?: { [name: string]: string };
  }[];
  next: string | null;
}

/** ListArtifactsAnswer is what list_artifacts answers. */
export interface ListArtifactsAnswer {
  artifacts: JSONObject[];
  next: string | null;
}

/** ListConflictsAnswer is what list_conflicts answers. */
export interface ListConflictsAnswer {
  conflicts: GetConflictAnswer[];
  next: string | null;
}

/** ListEdgesAnswer is what list_edges answers. */
export interface ListEdgesAnswer {
  edges: Thing[];
  next: string | null;
}

/** ListEntitiesAnswer is what list_entities answers. */
export interface ListEntitiesAnswer {
  entities: Thing[];
  next: string | null;
}

/** ListFeedbackAnswer is what list_feedback answers. */
export interface ListFeedbackAnswer {
  feedback: Thing[];
  next: string | null;
}

/** ListFingerprintsAnswer is what list_fingerprints answers. */
export interface ListFingerprintsAnswer {
  fingerprints: {
    uri: string;
    hash: string;
    actor: string;
    trust: string;
    visibility: string;
    updated_at: string;
    bytes: number;
    origins: number;
    tasks: number;
    tools: number;
    artifacts: number;
  }[];
  next: string | null;
}

/** ListKeysAnswer is what list_keys answers. */
export interface ListKeysAnswer {
  keys: GetKeyAnswer[];
  next: string | null;
}

/** ListPoliciesAnswer is what list_policies answers. */
export interface ListPoliciesAnswer {
  policies: Thing[];
  next: string | null;
}

/** ListRelationsAnswer is what list_relations answers. */
export interface ListRelationsAnswer {
  relations: Thing[];
  next: string | null;
}

/** ListSessionsAnswer is what list_sessions answers. */
export interface ListSessionsAnswer {
  sessions: {
    session_id: string;
    events: number;
    first: string;
    last: string;
  }[];
  next: string | null;
}

/** ListTagsAnswer is what list_tags answers. */
export interface ListTagsAnswer {
  tags: {
    tag: string;
    memories: number;
  }[];
  next: string | null;
}

/** ListTenantsAnswer is what list_tenants answers. */
export interface ListTenantsAnswer {
  tenants: State[];
  next: string | null;
}

/** ListViolationsAnswer is what list_violations answers. */
export interface ListViolationsAnswer {
  violations: Thing[];
  next: string | null;
}

/** MemoryHistoryAnswer is what memory_history answers. */
export interface MemoryHistoryAnswer {
  uri: string;
  versions: {
    version: number;
    op: string;
    position: number;
    time: string;
    actor: string;
    trust: string;
    reason?: string;
    body?: unknown;
  }[];
  next: string | null;
}

/** MemoryToolAnswer is what memory_tool answers. */
export interface MemoryToolAnswer {
  content: string;
  is_error: boolean;
}

/** NeighboursAnswer is what neighbours answers. */
export interface NeighboursAnswer {
  uri: string;
  referrers: Thing[];
}

/** NextStepAnswer is what next_step answers. */
export interface NextStepAnswer {
  session: string;
  steps: number;
  artifacts: number;
  suggestions: {
    tool: string;
    probability: number;
    reason: string;
    artifacts: string[];
  }[];
}

/** RecordEventAnswer is what record_event answers. */
export interface RecordEventAnswer {
  event_id?: string;
  disposition: string;
  position?: number;
  warnings?: number;
  scrubbed?: number;
  code?: string;
  detail?: string;
  fix?: string;
}

/** RedactMemoryAnswer is what redact_memory answers. */
export interface RedactMemoryAnswer {
  erased: number;
  already_erased: number;
  redaction?: number;
  targets: {
    uri: string;
    already_erased: boolean;
  }[];
  receipts: string[];
  purged: boolean;
  size: number;
  root: string;
}

/** Searched is what search answers. */
export interface Searched {
  query: string;
  hits: {
    id: string;
    uri: string;
    kind: string;
    source_type: string;
    score: number;
    parts: { [name: string]: number };
    reasons?: {
      name: string;
      value: number;
      weight: number;
      score: number;
    }[];
    text: string;
    tokens: number;
    duplicate_of?: string;
    thing?: Thing;
    event?: {
      uri: string;
      kind: string;
      position: number;
      recorded_at: string;
      actor: string;
      trust: string;
      event: unknown;
    };
  }[];
  classification: JSONObject;
  degraded?: string[];
  candidates: number;
  trimmed: number;
  total_tokens: number;
  budget_tokens?: number;
  form: string;
  counter: string;
  tenant: string;
  size: number;
  root: string;
  time?: string;
}

/** State is what root answers. */
export interface State {
  tenant: string;
  size: number;
  root: string;
  time?: string;
}

/** StatsAnswer is what stats answers. */
export interface StatsAnswer {
  tenant: string;
  root?: string;
  records?: number;
  erased: number;
  events: number;
  first?: string;
  last?: string;
  event_types: {
    name: string;
    count: number;
  }[];
  days: {
    day: string;
    events: number;
    memories: number;
  }[];
  recorded_from?: string;
  recorded_until?: string;
  memories: {
    type: string;
    state: string;
    count: number;
  }[];
  artifacts: {
    type: string;
    state: string;
    count: number;
  }[];
  conflicts: {
    name: string;
    count: number;
  }[];
  kinds: {
    name: string;
    count: number;
  }[];
  tool_count: number;
  tools: {
    tool: string;
    calls: number;
    ok: number;
    failed: number;
  }[];
  other_calls?: number;
  sessions: number;
  newest_session?: {
    session_id: string;
    events: number;
    first: string;
    last: string;
  };
  longest_session?: {
    session_id: string;
    events: number;
    first: string;
    last: string;
  };
  agent_count: number;
  agents: {
    agent_id: string;
    events: number;
    first: string;
    last: string;
  }[];
  storage?: StorageAnswer;
}

/** StorageAnswer is what storage answers. */
export interface StorageAnswer {
  journal: number;
  segments: number;
  index: number;
  words: number;
  vectors: number;
  traces: number;
}

/** Thing is what recall answers. */
export interface Thing {
  uri: string;
  kind: string;
  version: number;
  state: string;
  reason?: string;
  status?: string;
  trust: string;
  actor: string;
  created_at: string;
  updated_at: string;
  expires_at?: string;
  valid: boolean;
  position: number;
  form?: string;
  rendered?: string;
  body: unknown;
}

/** Things is what list_memories answers. */
export interface Things {
  memories: Thing[];
  next: string | null;
}

/** TimelineAnswer is what timeline answers. */
export interface TimelineAnswer {
  session: {
    session_id: string;
    events: number;
    first: string;
    last: string;
  };
  moments: {
    sort: string;
    uri: string;
    position: number;
    sequence: number;
    time: string;
    gap_ms: number;
    event_type: string;
    agent_id: string;
    tool?: string;
    text: string;
    content?: string;
    outcome?: string;
    result?: {
      uri: string;
      position: number;
      time: string;
      took_ms: number;
      text: string;
      content?: string;
    };
  }[];
  made: {
    uri: string;
    kind: string;
    type?: string;
    status?: string;
    text: string;
    updated_at: string;
  }[];
  next: string | null;
}

/** VerifierKeyAnswer is what verifier_key answers. */
export interface VerifierKeyAnswer {
  tenant: string;
  key: string;
  new: boolean;
}

/** VerifyAnswer is what verify answers. */
export interface VerifyAnswer {
  ok: boolean;
  deep: boolean;
  tenants: number;
  records: number;
  erased?: number;
  bytes: number;
  findings: {
    where: string;
    detail: string;
  }[];
}

/** VerifyPackAnswer is what verify_pack answers. */
export interface VerifyPackAnswer {
  size: number;
  root: string;
  digest: string;
  records: number;
  checkpoint: string;
  remade: string;
  unchecked?: string;
  entries: {
    source_id: string;
    uri: string;
    position: number;
    leaf: string;
    path: string[];
    sources: number;
  }[];
}

/** Write is what remember answers. */
export interface Write {
  uri: string;
  version: number;
  position: number;
  trust: string;
  unchanged: boolean;
  size: number;
  root: string;
  scrubbed?: number;
}

/** ApproveArtifactInput is what approve_artifact is asked with. */
export interface ApproveArtifactInput {
  /** the artifact_id */
  id: string;
  /** why, for later readers */
  reason?: string;
}

/** ArchiveArtifactInput is what archive_artifact is asked with. */
export interface ArchiveArtifactInput {
  /** the artifact_id */
  id: string;
  /** why, for later readers */
  reason: string;
}

/** ArtifactChainInput is what artifact_chain is asked with. */
export interface ArtifactChainInput {
  /** the artifact_id */
  id: string;
}

/** ArtifactDiffInput is what artifact_diff is asked with. */
export interface ArtifactDiffInput {
  /** the later one */
  id: string;
  /** the earlier one; default the one that it supersedes */
  from?: string;
}

/** CheckActionInput is what check_action is asked with. */
export interface CheckActionInput {
  /** the tool, or command */
  tool?: string;
  /** of the tool */
  arguments?: JSONObject;
  /** a command line, instead of a tool */
  command?: string;
  /** the git branch checked out */
  branch?: string;
  /** the session under way; its earlier steps count too */
  session_id?: string;
  agent_id?: string;
  tags?: string[];
  now?: string;
  /** conditions that hold, such as project: NAME */
  conditions?: string[];
}

/** CheckScopeInput is what check_scope is asked with. */
export interface CheckScopeInput {
  token: string;
}

/** CompileInput is what compile is asked with. */
export interface CompileInput {
  /** read every session again; the outcome is the same */
  full?: boolean;
  /** say what would change, and write nothing */
  dry_run?: boolean;
}

/** ContextInput is what context is asked with. */
export interface ContextInput {
  /** what is to be done */
  verb?: "find" | "acquire" | "build" | "modify" | "deliver" | "analyze" | "negotiate" | "schedule" | "monitor" | "delegate";
  /** the objects, by kind, such as {"file":"a.go"} */
  objects?: { [name: string]: string };
  budget_tokens?: number;
  include_tiers?: ("pinned" | "frame_relevant" | "outcomes")[];
  outcome_limit?: number;
  form?: "short" | "medium" | "full";
  agent_id?: string;
  /** conditions that hold, such as project: NAME */
  conditions?: string[];
  now?: string;
}

/** CreateKeyInput is what create_key is asked with. */
export interface CreateKeyInput {
  role: "operator" | "tenant" | "agent";
  /** the tenant it belongs to; default the tenant of the request */
  tenant?: string;
  /** the agent that an agent's key speaks for */
  agent?: string;
  /** default read and write */
  rights?: ("read" | "write" | "admin")[];
  /** the most trust of what it writes */
  trust?: "external" | "tool" | "agent" | "user" | "operator";
  label?: string;
  /** default never */
  expires_at?: string;
}

/** DeleteMemoryInput is what delete_memory is asked with. */
export interface DeleteMemoryInput {
  key: string;
  /** later reads return it */
  reason?: string;
}

/** DeprecateArtifactInput is what deprecate_artifact is asked with. */
export interface DeprecateArtifactInput {
  /** the artifact_id */
  id: string;
  /** why, for later readers */
  reason: string;
}

/** DismissConflictInput is what dismiss_conflict is asked with. */
export interface DismissConflictInput {
  id: string;
  /** why, for later readers */
  reason: string;
}

/** ExpireInput is what expire is asked with. */
export interface ExpireInput {
  /** not later than the current time */
  now?: string;
}

/** ExplainInput is what explain is asked with. */
export interface ExplainInput {
  /** the source_id of an entry, or a URI */
  id: string;
  /** the question that the context is for */
  query: string;
  /** the most tokens; values above 100000 count as 100000 */
  budget?: number;
  /** how entries are chosen */
  strategy?: "ranked" | "recency_biased" | "breadth_first" | "depth_first" | "fingerprint_guided";
  /** what counts tokens: o200k or estimate */
  counter?: string;
  /** whose pack it is */
  agent_id?: string;
  /** the session under way */
  session_id?: string;
  /** only these sections */
  sections?: ("core" | "constraints" | "goals" | "procedures" | "facts" | "episodes" | "graph_relations" | "workflow" | "conflicts" | "evidence")[];
  /** how the budget is shared, by section */
  section_weights?: { [name: string]: number };
  /** the weights of relevance, recency, provenance and salience */
  weights?: { [name: string]: number };
  /** leave out candidates below this share of the best relevance */
  min_relevance?: number;
  /** only with one of these tags; pinned records stay */
  tags?: string[];
  /** what was useful before, for fingerprint_guided */
  priors?: JSONObject;
  /** the state: a position, a root or its first digits, or a time */
  as_of?: string;
  /** conditions that hold, such as project: github.com/acme/shop; records for other conditions are left out */
  conditions?: string[];
  /** the time for age and expiry; default that of the newest record or of what expired since */
  now?: string;
}

/** ExportFingerprintInput is what export_fingerprint is asked with. */
export interface ExportFingerprintInput {
  /** only what this agent did; default all agents */
  agent?: string;
}

/** FeedbackInput is what feedback is asked with. */
export interface FeedbackInput {
  outcome: "success" | "failure" | "partial";
  /** keys or URIs of the records it used */
  cited: string[];
  /** whose task it was */
  agent_id?: string;
  session_id?: string;
  score?: number;
  note?: string;
  id?: string;
}

/** FindInput is what find is asked with. */
export interface FindInput {
  /** of these kinds; default all that hold knowledge */
  kinds?: ("event" | "memory" | "edge" | "entity" | "relation" | "conflict" | "policy" | "artifact" | "feedback" | "violation" | "embedding" | "fingerprint" | "refinement")[];
  /** of these types */
  types?: string[];
  /** with one of these */
  tags?: string[];
  /** the key is this, or below it */
  key_prefix?: string;
  /** the agent of the event, or the writer or subject of the record */
  agent?: string;
  session?: string;
  /** only results at or after this time */
  after?: string;
  before?: string;
  /** verb:kind=ref, or verb:kind */
  frame?: string;
  status?: string;
  /** default live */
  state?: "live" | "forgotten" | "expired";
  /** only what was on record and valid at this time */
  held_at?: string;
  /** comparisons that must hold */
  where?: {
    field: string;
    op: "=" | "!=" | "<" | "<=" | ">" | ">=" | "contains" | "prefix";
    value: string;
  }[];
  /** with one of these words */
  text?: string;
  /** follow edges */
  follow?: {
    kinds: string[];
    direction?: "out" | "in" | "both";
    hops?: number;
  }[];
  /** how many hits to follow edges from; default half of limit */
  seeds?: number;
  order?: "salience" | "time" | "relevance";
  limit?: number;
  budget_tokens?: number;
  form?: "short" | "medium" | "full";
  /** the agent that reads */
  agent_id?: string;
  as_of?: string;
  now?: string;
}

/** ForgetInput is what forget is asked with. */
export interface ForgetInput {
  /** key or URI */
  name?: string;
  /** key or URI */
  key?: string;
  /** later reads return it */
  reason?: string;
  if_version?: number;
}

/** GetArtifactInput is what get_artifact is asked with. */
export interface GetArtifactInput {
  /** the artifact_id */
  id: string;
}

/** GetConflictInput is what get_conflict is asked with. */
export interface GetConflictInput {
  id: string;
}

/** GetKeyInput is what get_key is asked with. */
export interface GetKeyInput {
  id: string;
}

/** GetPolicyInput is what get_policy is asked with. */
export interface GetPolicyInput {
  id: string;
}

/** GraphInput is what graph is asked with. */
export interface GraphInput {
  /** a key or a URI; default the newest records */
  around?: string;
  /** steps from there */
  depth?: number;
  /** nodes */
  limit?: number;
  /** also tags that several have */
  tags?: boolean;
  /** as this agent sees it */
  agent_id?: string;
}

/** ImportInput is what import is asked with. */
export interface ImportInput {
  /** The document that is the whole body. */
  document: JSONObject;
}

/** ImportFingerprintInput is what import_fingerprint is asked with. */
export interface ImportFingerprintInput {
  /** let it guide its writer alone */
  private?: boolean;
  /** The document that is the whole body. */
  document: JSONObject;
}

/** IngestInput is what ingest is asked with. */
export interface IngestInput {
  /** The document that is the whole body. */
  document: HMXEvent | HMXEvent[];
}

/** IngestTracesInput is what ingest_traces is asked with. */
export interface IngestTracesInput {
  /** The document that is the whole body. */
  document: JSONObject;
}

/** ListActsInput is what list_acts is asked with. */
export interface ListActsInput {
  limit?: number;
  /** next of the previous page */
  after?: string;
}

/** ListArtifactsInput is what list_artifacts is asked with. */
export interface ListArtifactsInput {
  /** of this type, such as task_schema or failure_playbook */
  type?: string;
  /** default active */
  status?: "draft" | "active" | "superseded" | "deprecated" | "archived";
  /** of every status */
  all?: boolean;
  /** with this tag, such as the name of a tool */
  tag?: string;
  min_confidence?: number;
  limit?: number;
  /** next of the previous page */
  after?: string;
  now?: string;
}

/** ListConflictsInput is what list_conflicts is asked with. */
export interface ListConflictsInput {
  /** default open */
  status?: "open" | "resolved" | "dismissed";
  /** of every status */
  all?: boolean;
  limit?: number;
  /** next of the previous page */
  after?: string;
}

/** ListEdgesInput is what list_edges is asked with. */
export interface ListEdgesInput {
  /** of this type */
  type?: string;
  /** with this tag */
  tag?: string;
  /** of a goal; a constraint's strength; an outcome */
  status?: string;
  state?: "live" | "forgotten" | "expired";
  limit?: number;
  /** next of the previous page */
  after?: string;
  now?: string;
}

/** ListEntitiesInput is what list_entities is asked with. */
export interface ListEntitiesInput {
  /** with this name or alias, in any case */
  name?: string;
  /** of this type */
  type?: string;
  /** with this tag */
  tag?: string;
  /** of a goal; a constraint's strength; an outcome */
  status?: string;
  state?: "live" | "forgotten" | "expired";
  limit?: number;
  /** next of the previous page */
  after?: string;
  now?: string;
}

/** ListEventsInput is what list_events is asked with. */
export interface ListEventsInput {
  /** those of the session, in its order */
  session?: string;
  /** those of this agent, by time */
  agent?: string;
  /** those of this trace, by time */
  trace?: string;
  /** those of this correlation, by time */
  correlation?: string;
  /** those whose parent this is */
  children_of?: string;
  limit?: number;
  /** next of the previous page */
  after?: string;
}

/** ListFeedbackInput is what list_feedback is asked with. */
export interface ListFeedbackInput {
  /** of this type */
  type?: string;
  /** with this tag */
  tag?: string;
  /** of a goal; a constraint's strength; an outcome */
  status?: string;
  state?: "live" | "forgotten" | "expired";
  limit?: number;
  /** next of the previous page */
  after?: string;
  now?: string;
}

/** ListFingerprintsInput is what list_fingerprints is asked with. */
export interface ListFingerprintsInput {
  limit?: number;
  /** next of the previous page */
  after?: string;
}

/** ListKeysInput is what list_keys is asked with. */
export interface ListKeysInput {
  /** also those that are revoked or expired */
  all?: boolean;
  limit?: number;
  /** next of the previous page */
  after?: string;
}

/** ListMemoriesInput is what list_memories is asked with. */
export interface ListMemoriesInput {
  /** of this type */
  type?: string;
  /** with this tag */
  tag?: string;
  /** of a goal; a constraint's strength; an outcome */
  status?: string;
  state?: "live" | "forgotten" | "expired";
  limit?: number;
  /** next of the previous page */
  after?: string;
  now?: string;
}

/** ListPoliciesInput is what list_policies is asked with. */
export interface ListPoliciesInput {
  /** of this type */
  type?: string;
  /** with this tag */
  tag?: string;
  /** of a goal; a constraint's strength; an outcome */
  status?: string;
  state?: "live" | "forgotten" | "expired";
  limit?: number;
  /** next of the previous page */
  after?: string;
  now?: string;
}

/** ListRelationsInput is what list_relations is asked with. */
export interface ListRelationsInput {
  /** of this type */
  type?: string;
  /** with this tag */
  tag?: string;
  /** of a goal; a constraint's strength; an outcome */
  status?: string;
  state?: "live" | "forgotten" | "expired";
  limit?: number;
  /** next of the previous page */
  after?: string;
  now?: string;
}

/** ListSessionsInput is what list_sessions is asked with. */
export interface ListSessionsInput {
  limit?: number;
  /** next of the previous page */
  after?: string;
}

/** ListTagsInput is what list_tags is asked with. */
export interface ListTagsInput {
  limit?: number;
  /** next of the previous page */
  after?: string;
}

/** ListTenantsInput is what list_tenants is asked with. */
export interface ListTenantsInput {
  limit?: number;
  /** next of the previous page */
  after?: string;
}

/** ListViolationsInput is what list_violations is asked with. */
export interface ListViolationsInput {
  /** of this type */
  type?: string;
  /** with this tag */
  tag?: string;
  /** of a goal; a constraint's strength; an outcome */
  status?: string;
  state?: "live" | "forgotten" | "expired";
  limit?: number;
  /** next of the previous page */
  after?: string;
  now?: string;
}

/** MemoryHistoryInput is what memory_history is asked with. */
export interface MemoryHistoryInput {
  /** key or URI */
  name?: string;
  /** The same as name; one of them is given. */
  key?: string;
  limit?: number;
  /** next of the previous page */
  after?: string;
}

/** MemoryToolInput is what memory_tool is asked with. */
export interface MemoryToolInput {
  command: "view" | "create" | "str_replace" | "insert" | "delete" | "rename";
  /** below /memories; for all commands except rename */
  path?: string;
  /** first and last line to view; -1 is the end */
  view_range?: number[];
  /** for create */
  file_text?: string;
  /** for str_replace; must occur once in the file */
  old_str?: string;
  /** for str_replace; default empty */
  new_str?: string;
  /** for insert: after this line, 0 at the beginning */
  insert_line?: number;
  /** for insert */
  insert_text?: string;
  /** for rename */
  old_path?: string;
  /** for rename */
  new_path?: string;
}

/** MintScopeInput is what mint_scope is asked with. */
export interface MintScopeInput {
  /** the agent that it is for */
  to: string;
  mode?: "read" | "write";
  /** what it shows; a record must match every list that is given */
  include: {
    all?: boolean;
    pinned?: boolean;
    types?: string[];
    tags?: string[];
    ids?: string[];
    frames?: string[];
    sections?: string[];
    sessions?: string[];
  };
  /** what it hides */
  exclude?: {
    all?: boolean;
    pinned?: boolean;
    types?: string[];
    tags?: string[];
    ids?: string[];
    frames?: string[];
    sections?: string[];
    sessions?: string[];
  };
  /** the most that an answer may have */
  budget_tokens?: number;
  not_before?: string;
  /** at most 366 days away */
  expires_at: string;
  /** the most trust of what it writes; default agent */
  trust?: "external" | "tool" | "agent" | "user" | "operator";
}

/** NeighboursInput is what neighbours is asked with. */
export interface NeighboursInput {
  /** key or URI */
  name?: string;
  /** The same as name; one of them is given. */
  key?: string;
}

/** NextStepInput is what next_step is asked with. */
export interface NextStepInput {
  session_id: string;
  limit?: number;
  /** only artifacts whose validity scope has one of these tags, or none */
  tags?: string[];
  /** conditions that hold, such as project: NAME */
  conditions?: string[];
}

/** PackInput is what pack is asked with. */
export interface PackInput {
  /** the question that the context is for */
  query: string;
  /** the most tokens; values above 100000 count as 100000 */
  budget?: number;
  /** how entries are chosen */
  strategy?: "ranked" | "recency_biased" | "breadth_first" | "depth_first" | "fingerprint_guided";
  /** what counts tokens: o200k or estimate */
  counter?: string;
  /** whose pack it is */
  agent_id?: string;
  /** the session under way */
  session_id?: string;
  /** only these sections */
  sections?: ("core" | "constraints" | "goals" | "procedures" | "facts" | "episodes" | "graph_relations" | "workflow" | "conflicts" | "evidence")[];
  /** how the budget is shared, by section */
  section_weights?: { [name: string]: number };
  /** the weights of relevance, recency, provenance and salience */
  weights?: { [name: string]: number };
  /** leave out candidates below this share of the best relevance */
  min_relevance?: number;
  /** only with one of these tags; pinned records stay */
  tags?: string[];
  /** what was useful before, for fingerprint_guided */
  priors?: JSONObject;
  /** the state: a position, a root or its first digits, or a time */
  as_of?: string;
  /** conditions that hold, such as project: github.com/acme/shop; records for other conditions are left out */
  conditions?: string[];
  /** the time for age and expiry; default that of the newest record or of what expired since */
  now?: string;
}

/** PackContextInput is what pack_context is asked with. */
export interface PackContextInput {
  /** what it is about */
  topic: string;
  /** 1 to 100000, else the nearest of these; default 2000 */
  budget_tokens?: number;
  ordering?: "relevance" | "recency" | "relevance+recency";
  /** conditions that hold, such as project: NAME */
  conditions?: string[];
}

/** PackTextInput is what pack_text is asked with. */
export interface PackTextInput {
  /** the question that the context is for */
  query: string;
  /** the most tokens; values above 100000 count as 100000 */
  budget?: number;
  /** how entries are chosen */
  strategy?: "ranked" | "recency_biased" | "breadth_first" | "depth_first" | "fingerprint_guided";
  /** what counts tokens: o200k or estimate */
  counter?: string;
  /** whose pack it is */
  agent_id?: string;
  /** the session under way */
  session_id?: string;
  /** only these sections */
  sections?: ("core" | "constraints" | "goals" | "procedures" | "facts" | "episodes" | "graph_relations" | "workflow" | "conflicts" | "evidence")[];
  /** how the budget is shared, by section */
  section_weights?: { [name: string]: number };
  /** the weights of relevance, recency, provenance and salience */
  weights?: { [name: string]: number };
  /** leave out candidates below this share of the best relevance */
  min_relevance?: number;
  /** only with one of these tags; pinned records stay */
  tags?: string[];
  /** what was useful before, for fingerprint_guided */
  priors?: JSONObject;
  /** the state: a position, a root or its first digits, or a time */
  as_of?: string;
  /** conditions that hold, such as project: github.com/acme/shop; records for other conditions are left out */
  conditions?: string[];
  /** the time for age and expiry; default that of the newest record or of what expired since */
  now?: string;
  /** as a block with a title and a mark, for a prompt; the budget covers the whole block */
  marked?: boolean;
}

/** ProveConsistencyInput is what prove_consistency is asked with. */
export interface ProveConsistencyInput {
  /** the earlier size */
  from: number;
  /** the later size; default the current size */
  to?: number;
}

/** ProveInclusionInput is what prove_inclusion is asked with. */
export interface ProveInclusionInput {
  /** the position of the record */
  position?: number;
  /** or a key or a URI */
  name?: string;
  /** The same as name; one of them is given. */
  key?: string;
  /** in the tree of this size; default the current size */
  size?: number;
  /** leave the content out */
  withhold?: boolean;
}

/** PutEntityInput is what put_entity is asked with. */
export interface PutEntityInput {
  /** The document that is the whole body. */
  document: JSONObject;
}

/** PutMemoryInput is what put_memory is asked with. */
export interface PutMemoryInput {
  /** the key, such as release/cadence */
  key: string;
  text: string;
  type?: "identity" | "fact" | "preference" | "belief" | "event" | "goal" | "constraint" | "capability" | "pattern";
  tags?: string[];
  /** when it matters: {verb, kind, ref}, such as modify, file, a.go */
  frames?: {
    verb: "find" | "acquire" | "build" | "modify" | "deliver" | "analyze" | "negotiate" | "schedule" | "monitor" | "delegate";
    kind: "service" | "model" | "agent" | "knowledge" | "intent" | "asset" | "plan" | "capability" | "token" | "address" | "file" | "repository" | "tool" | "person" | "project" | "url";
    ref: string;
  }[];
  importance?: number;
  confidence?: number;
  /** fields of its type, such as {"strength":"hard"} of a constraint */
  data?: JSONObject;
  valid_from?: string;
  valid_until?: string;
  ttl_seconds?: number;
  visibility?: "private" | "tenant";
  /** where it holds, such as {"conditions":["project: NAME"]} */
  validity_scope?: JSONObject;
  /** what it was derived from */
  sources?: string[];
  forms?: JSONObject;
  metadata?: JSONObject;
  /** write only if this is the current version; 0 if there must be none */
  if_version?: number;
}

/** PutPolicyInput is what put_policy is asked with. */
export interface PutPolicyInput {
  /** The document that is the whole body. */
  document: JSONObject;
}

/** PutRelationInput is what put_relation is asked with. */
export interface PutRelationInput {
  /** The document that is the whole body. */
  document: JSONObject;
}

/** RecallInput is what recall is asked with. */
export interface RecallInput {
  /** a key such as release/cadence */
  key: string;
  /** an earlier version */
  version?: number;
  /** also as a short, medium or full text */
  form?: "short" | "medium" | "full";
  now?: string;
}

/** RecordEventInput is what record_event is asked with. */
export interface RecordEventInput {
  session_id: string;
  /** message, tool_call, tool_result, file_edit, test_run, command_exec, decision, error, observation, … */
  event_type: string;
  /** fields of the type: message {role,text}; tool_call {tool_name,arguments}; tool_result {tool_name,result,success} */
  content: JSONObject;
  agent_id?: string;
  event_id?: string;
  timestamp?: string;
  sequence?: number;
  parent_event_id?: string;
  trace_id?: string;
  correlation_id?: string;
  source?: string;
  tags?: string[];
  ttl_seconds?: number;
  metadata?: JSONObject;
}

/** RedactMemoryInput is what redact_memory is asked with. */
export interface RedactMemoryInput {
  /** keys or URIs */
  names?: string[];
  /** keys or URIs */
  keys?: string[];
  /** also rewrite the files of the index */
  purge?: boolean;
}

/** RelateMemoriesInput is what relate_memories is asked with. */
export interface RelateMemoriesInput {
  /** a key or a URI */
  from: string;
  /** a key or a URI */
  to: string;
  /** supports, contradicts, derived_from, supersedes, part_of, causes, relates_to or x-{vendor}-{kind} */
  kind: string;
  weight?: number;
  id?: string;
  /** the evidence for it */
  sources?: string[];
  metadata?: JSONObject;
}

/** RememberInput is what remember is asked with. */
export interface RememberInput {
  key?: string;
  id?: string;
  text: string;
  type?: "identity" | "fact" | "preference" | "belief" | "event" | "goal" | "constraint" | "capability" | "pattern";
  tags?: string[];
  /** when it matters: {verb, kind, ref}, such as modify, file, a.go */
  frames?: {
    verb: "find" | "acquire" | "build" | "modify" | "deliver" | "analyze" | "negotiate" | "schedule" | "monitor" | "delegate";
    kind: "service" | "model" | "agent" | "knowledge" | "intent" | "asset" | "plan" | "capability" | "token" | "address" | "file" | "repository" | "tool" | "person" | "project" | "url";
    ref: string;
  }[];
  importance?: number;
  confidence?: number;
  /** fields of its type, such as {"strength":"hard"} of a constraint */
  data?: JSONObject;
  valid_from?: string;
  valid_until?: string;
  ttl_seconds?: number;
  visibility?: "private" | "tenant";
  /** where it holds, such as {"conditions":["project: NAME"]} */
  validity_scope?: JSONObject;
  /** what it was derived from */
  sources?: string[];
  forms?: JSONObject;
  metadata?: JSONObject;
  /** write only if this is the current version; 0 if there must be none */
  if_version?: number;
}

/** RememberIfAbsentInput is what remember_if_absent is asked with. */
export interface RememberIfAbsentInput {
  key: string;
  text: string;
  type?: "identity" | "fact" | "preference" | "belief" | "event" | "goal" | "constraint" | "capability" | "pattern";
  tags?: string[];
  /** when it matters: {verb, kind, ref}, such as modify, file, a.go */
  frames?: {
    verb: "find" | "acquire" | "build" | "modify" | "deliver" | "analyze" | "negotiate" | "schedule" | "monitor" | "delegate";
    kind: "service" | "model" | "agent" | "knowledge" | "intent" | "asset" | "plan" | "capability" | "token" | "address" | "file" | "repository" | "tool" | "person" | "project" | "url";
    ref: string;
  }[];
  importance?: number;
  confidence?: number;
  /** fields of its type, such as {"strength":"hard"} of a constraint */
  data?: JSONObject;
  valid_from?: string;
  valid_until?: string;
  ttl_seconds?: number;
  visibility?: "private" | "tenant";
  /** where it holds, such as {"conditions":["project: NAME"]} */
  validity_scope?: JSONObject;
  /** what it was derived from */
  sources?: string[];
  forms?: JSONObject;
  metadata?: JSONObject;
  /** write only if this is the current version; 0 if there must be none */
  if_version?: number;
}

/** ResolveInput is what resolve is asked with. */
export interface ResolveInput {
  /** URI or key */
  name?: string;
  /** The same as name; one of them is given. */
  key?: string;
  /** an earlier version */
  version?: number;
  /** as it was when this position was the newest */
  at?: number;
  now?: string;
}

/** ResolveConflictInput is what resolve_conflict is asked with. */
export interface ResolveConflictInput {
  id: string;
  /** how it was settled, for later readers */
  reason: string;
  /** the side that holds: its URI, or its number from 1; without it, all sides stay */
  keep?: string;
}

/** RestoreMemoryInput is what restore_memory is asked with. */
export interface RestoreMemoryInput {
  /** key or URI */
  name?: string;
  /** key or URI */
  key?: string;
  /** an earlier version; default the last content */
  version?: number;
  /** only if this is the current version */
  if_version?: number;
}

/** RevokeKeyInput is what revoke_key is asked with. */
export interface RevokeKeyInput {
  id: string;
  reason?: string;
}

/** SearchInput is what search is asked with. */
export interface SearchInput {
  /** the question, in words */
  query: string;
  top_k?: number;
  /** of these kinds */
  kinds?: ("event" | "memory" | "edge" | "entity" | "relation" | "conflict" | "policy" | "artifact" | "feedback" | "violation" | "embedding" | "fingerprint" | "refinement")[];
  /** memory or event types */
  types?: string[];
  agents?: string[];
  sessions?: string[];
  /** with one of these */
  tags?: string[];
  since?: string;
  until?: string;
  min_trust?: "external" | "tool" | "agent" | "user" | "operator";
  /** candidates from this source only */
  only?: "words" | "meaning";
  /** the most tokens of all texts together; default no limit */
  budget_tokens?: number;
  form?: "short" | "medium" | "full";
  /** with the parts of each score */
  explain?: boolean;
  /** the agent that reads */
  agent_id?: string;
  as_of?: string;
  now?: string;
}

/** SetQuotaInput is what set_quota is asked with. */
export interface SetQuotaInput {
  /** 0 is the server's default, a negative number no limit; the same holds for all limits */
  requests_per_second?: number;
  events_per_second?: number;
  bytes_per_second?: number;
  max_records?: number;
  max_bytes?: number;
}

/** StatsInput is what stats is asked with. */
export interface StatsInput {
  /** growth over the latest days */
  days?: number;
  /** how many tools and agents are named */
  top?: number;
  /** as this agent sees it */
  agent_id?: string;
}

/** TailEventsInput is what tail_events is asked with. */
export interface TailEventsInput {
  session?: string;
  agent?: string;
  type?: string;
  /** the first position; default new events only */
  from?: number;
}

/** TimelineInput is what timeline is asked with. */
export interface TimelineInput {
  session_id: string;
  /** with the full content of events */
  full?: boolean;
  /** events per page; fewer if they are large */
  limit?: number;
  /** next of the previous page */
  after?: string;
  /** as this agent sees it */
  agent_id?: string;
}

/** VerifyInput is what verify is asked with. */
export interface VerifyInput {
  /** recompute everything */
  deep?: boolean;
}

/** VerifyPackInput is what verify_pack is asked with. */
export interface VerifyPackInput {
  /** The document that is the whole body. */
  document: Pack;
}

/** Operations are all operations of the interface, by name: what they are asked with, and what they answer. */
export interface Operations {
  /** Make a draft active. */
  approve_artifact: { input: ApproveArtifactInput; answer: ApproveArtifactAnswer };
  /** Retire an active artifact. */
  archive_artifact: { input: ArchiveArtifactInput; answer: ApproveArtifactAnswer };
  /** Show the versions of an artifact, who superseded what, when and why. */
  artifact_chain: { input: ArtifactChainInput; answer: ArtifactChainAnswer };
  /** Show what changed from one version of an artifact to another. */
  artifact_diff: { input: ArtifactDiffInput; answer: ArtifactDiffAnswer };
  /** Check a planned action against rules and past failures. */
  check_action: { input: CheckActionInput; answer: CheckActionAnswer };
  /** Show what a scope token says, and whether it is valid. */
  check_scope: { input: CheckScopeInput; answer: CheckScopeAnswer };
  /** Sign the state of the tenant (a C2SP note). */
  checkpoint: { input: Record<string, never>; answer: string };
  /** Derive artifacts from what happened, and memories from what users stated. */
  compile: { input: CompileInput; answer: CompileAnswer };
  /** What to know before a task: rules and goals, what matters for it, how it went before. */
  context: { input: ContextInput; answer: Bundle };
  /** Make a credential; its token is shown once. */
  create_key: { input: CreateKeyInput; answer: CreateKeyAnswer };
  /** Forget the memory under the key in the path. */
  delete_memory: { input: DeleteMemoryInput; answer: Write };
  /** Mark an artifact or a draft as wrong. */
  deprecate_artifact: { input: DeprecateArtifactInput; answer: ApproveArtifactAnswer };
  /** This document. */
  describe: { input: Record<string, never>; answer: JSONObject };
  /** Dismiss a conflict: its sides do not contradict each other. */
  dismiss_conflict: { input: DismissConflictInput; answer: Write };
  /** Record the expiry of everything whose time is over. */
  expire: { input: ExpireInput; answer: ExpireAnswer };
  /** Explain why a record is in a pack, or is not. */
  explain: { input: ExplainInput; answer: ExplainAnswer };
  /** Export all records of the tenant, as lines of JSON. */
  export: { input: Record<string, never>; answer: string };
  /** Return a digest of what the agents of the tenant learned, or one agent. */
  export_fingerprint: { input: ExportFingerprintInput; answer: JSONObject };
  /** Report the outcome of a task and which records it used, so that later answers are better. */
  feedback: { input: FeedbackInput; answer: Write };
  /** Find records that match all predicates, and follow edges from them. */
  find: { input: FindInput; answer: FindAnswer };
  /** Put a tombstone on a memory; its history stays. */
  forget: { input: ForgetInput; answer: Write };
  /** Show an artifact and its evidence. */
  get_artifact: { input: GetArtifactInput; answer: GetArtifactAnswer };
  /** Show a conflict and its sides. */
  get_conflict: { input: GetConflictInput; answer: GetConflictAnswer };
  /** Show a credential, without its token. */
  get_key: { input: GetKeyInput; answer: GetKeyAnswer };
  /** Show a policy. */
  get_policy: { input: GetPolicyInput; answer: Thing };
  /** Show what the tenant may send and keep. */
  get_quota: { input: Record<string, never>; answer: GetQuotaAnswer };
  /** Show records and their connections: around one of them, or the newest. */
  graph: { input: GraphInput; answer: GraphAnswer };
  /** Whether the process answers. */
  health: { input: Record<string, never>; answer: JSONObject };
  /** Import an export of a tenant. */
  import: { input: ImportInput; answer: {
    imported: number;
    present: number;
    tenant: string;
    size: number;
    root: string;
    time?: string;
    salvage?: {
      lost: number;
      left_out: number;
      rewrote: number;
      reasons: {
        position: number;
        kind: string;
        why: string;
      }[];
    };
  } };
  /** Store a fingerprint, so that it guides packs. */
  import_fingerprint: { input: ImportFingerprintInput; answer: Write };
  /** Record HMX events: one, an array, or one per line. */
  ingest: { input: IngestInput; answer: Intake };
  /** Record the spans about generative AI of an OTLP/HTTP export request. */
  ingest_traces: { input: IngestTracesInput; answer: IngestTracesAnswer };
  /** Record events over a WebSocket: one event per frame, one acknowledgement per frame. */
  ingest_ws: { input: Record<string, never>; answer: never };
  /** List administrative acts, oldest first. */
  list_acts: { input: ListActsInput; answer: ListActsAnswer };
  /** List artifacts: procedures, playbooks, policies. */
  list_artifacts: { input: ListArtifactsInput; answer: ListArtifactsAnswer };
  /** List conflicts between records, newest first. */
  list_conflicts: { input: ListConflictsInput; answer: ListConflictsAnswer };
  /** List the edges between records, newest first. */
  list_edges: { input: ListEdgesInput; answer: ListEdgesAnswer };
  /** List entities, newest first, or by name. */
  list_entities: { input: ListEntitiesInput; answer: ListEntitiesAnswer };
  /** Show the events of a session, an agent, a trace or a correlation, in order. */
  list_events: { input: ListEventsInput; answer: Events };
  /** List feedback about tasks, newest first. */
  list_feedback: { input: ListFeedbackInput; answer: ListFeedbackAnswer };
  /** List the fingerprints that were imported, newest first. */
  list_fingerprints: { input: ListFingerprintsInput; answer: ListFingerprintsAnswer };
  /** List credentials, oldest first, without their tokens: the valid ones, or all. */
  list_keys: { input: ListKeysInput; answer: ListKeysAnswer };
  /** List memories, newest first. */
  list_memories: { input: ListMemoriesInput; answer: Things };
  /** List policies, newest first. */
  list_policies: { input: ListPoliciesInput; answer: ListPoliciesAnswer };
  /** List relations between entities, newest first. */
  list_relations: { input: ListRelationsInput; answer: ListRelationsAnswer };
  /** List the sessions, ordered by id. */
  list_sessions: { input: ListSessionsInput; answer: ListSessionsAnswer };
  /** List the tags of memories, with how many have each. */
  list_tags: { input: ListTagsInput; answer: ListTagsAnswer };
  /** List the tenants, with their roots. */
  list_tenants: { input: ListTenantsInput; answer: ListTenantsAnswer };
  /** List what scopes refused, newest first. */
  list_violations: { input: ListViolationsInput; answer: ListViolationsAnswer };
  /** Show the versions of a memory, oldest first. */
  memory_history: { input: MemoryHistoryInput; answer: MemoryHistoryAnswer };
  /** Run a command of Anthropic's memory tool on files below /memories. */
  memory_tool: { input: MemoryToolInput; answer: MemoryToolAnswer };
  /** Make a scope token: what another agent may see and do, until when. */
  mint_scope: { input: MintScopeInput; answer: CheckScopeAnswer };
  /** Show what refers to a record or an event: edges, relations, conflicts, feedback, what was derived from it. */
  neighbours: { input: NeighboursInput; answer: NeighboursAnswer };
  /** Suggest which tool a session may call next, and why. */
  next_step: { input: NextStepInput; answer: NextStepAnswer };
  /** Return what an agent needs to know for a question, within a budget of tokens. */
  pack: { input: PackInput; answer: Pack };
  /** Fill a token budget with what is known about a topic, as markdown. */
  pack_context: { input: PackContextInput; answer: string };
  /** Return a pack as markdown, to put into a prompt. */
  pack_text: { input: PackTextInput; answer: string };
  /** Prove that the tenant's log only grew. */
  prove_consistency: { input: ProveConsistencyInput; answer: JSONObject };
  /** Prove that a record is in the tenant's log. */
  prove_inclusion: { input: ProveInclusionInput; answer: JSONObject };
  /** Store an entity: a person, system or object that records mention. */
  put_entity: { input: PutEntityInput; answer: Write };
  /** Store a memory under the key in the path. */
  put_memory: { input: PutMemoryInput; answer: Write };
  /** Store a policy: an instruction or constraint for agents, or how long records are kept. */
  put_policy: { input: PutPolicyInput; answer: Write };
  /** Store a relation between two entities. */
  put_relation: { input: PutRelationInput; answer: Write };
  /** Whether calls are served. */
  ready: { input: Record<string, never>; answer: JSONObject };
  /** Show what is remembered under a key, now or at a version. */
  recall: { input: RecallInput; answer: Thing };
  /** Record something that was said or done in a session. */
  record_event: { input: RecordEventInput; answer: RecordEventAnswer };
  /** Erase memories and events for good, with their history; needs the right admin. */
  redact_memory: { input: RedactMemoryInput; answer: RedactMemoryAnswer };
  /** Connect two records: one supports, contradicts, causes … the other. */
  relate_memories: { input: RelateMemoriesInput; answer: Write };
  /** Store a memory under a key; an existing key gets a new version. */
  remember: { input: RememberInput; answer: Write };
  /** Store a memory unless its key exists; then return the existing one. */
  remember_if_absent: { input: RememberIfAbsentInput; answer: Thing };
  /** Show what a URI or a key names: an event, or a record of any kind. */
  resolve: { input: ResolveInput; answer: JSONObject };
  /** Settle a conflict, and name the side that holds. */
  resolve_conflict: { input: ResolveConflictInput; answer: Write };
  /** Bring back what is forgotten, or an earlier version. */
  restore_memory: { input: RestoreMemoryInput; answer: Write };
  /** End a credential at once, open connections included. */
  revoke_key: { input: RevokeKeyInput; answer: GetKeyAnswer };
  /** Name the state of the tenant: how many records, and the root over them. */
  root: { input: Record<string, never>; answer: State };
  /** Find what answers a question, the best first. */
  search: { input: SearchInput; answer: Searched };
  /** Set what the tenant may send and keep. */
  set_quota: { input: SetQuotaInput; answer: GetQuotaAnswer };
  /** Count events, memories, artifacts, sessions and agents, by day, and calls of tools with their outcomes. */
  stats: { input: StatsInput; answer: StatsAnswer };
  /** Show how much disk space the data directory takes. */
  storage: { input: Record<string, never>; answer: StorageAnswer };
  /** Follow new events as they are recorded (server-sent events). */
  tail_events: { input: TailEventsInput; answer: never };
  /** Show a session step by step: what was said and done, how it went, and what was learned from it. */
  timeline: { input: TimelineInput; answer: TimelineAnswer };
  /** Show the public key that verifies signatures. */
  verifier_key: { input: Record<string, never>; answer: VerifierKeyAnswer };
  /** Verify the data directory: quickly, or to the last byte. */
  verify: { input: VerifyInput; answer: VerifyAnswer };
  /** Prove what a pack says, entry by entry, down to the journal. */
  verify_pack: { input: VerifyPackInput; answer: VerifyPackAnswer };
}

/** OperationName is the name of an operation. */
export type OperationName = keyof Operations;

/** Route is how an operation is called. */
export interface Route {
  method: string;
  path: string;
  /** Names that stand in the path, and in the query. */
  inPath: readonly string[];
  inQuery: readonly string[];
  /** What the body is: the other names, one document, or nothing. */
  body: "none" | "fields" | "document";
  /** Whether doing it twice is the same as doing it once. */
  again: boolean;
  /** What is answered. */
  media: string;
}

/** routes are those of all operations. */
export const routes: { readonly [N in OperationName]: Route } = {
  approve_artifact: { method: "POST", path: "/v1/artifacts/{id}/approve", inPath: ["id"], inQuery: [], body: "fields", again: false, media: "application/json" },
  archive_artifact: { method: "POST", path: "/v1/artifacts/{id}/archive", inPath: ["id"], inQuery: [], body: "fields", again: false, media: "application/json" },
  artifact_chain: { method: "GET", path: "/v1/artifacts/{id}/chain", inPath: ["id"], inQuery: [], body: "none", again: true, media: "application/json" },
  artifact_diff: { method: "GET", path: "/v1/artifacts/{id}/diff", inPath: ["id"], inQuery: ["from"], body: "none", again: true, media: "application/json" },
  check_action: { method: "POST", path: "/v1/check_action", inPath: [], inQuery: [], body: "fields", again: true, media: "application/json" },
  check_scope: { method: "POST", path: "/v1/scopes/check", inPath: [], inQuery: [], body: "fields", again: true, media: "application/json" },
  checkpoint: { method: "GET", path: "/v1/checkpoint", inPath: [], inQuery: [], body: "none", again: true, media: "text/plain" },
  compile: { method: "POST", path: "/v1/compile", inPath: [], inQuery: [], body: "fields", again: false, media: "application/json" },
  context: { method: "POST", path: "/v1/context", inPath: [], inQuery: [], body: "fields", again: true, media: "application/json" },
  create_key: { method: "POST", path: "/v1/keys", inPath: [], inQuery: [], body: "fields", again: false, media: "application/json" },
  delete_memory: { method: "DELETE", path: "/v1/memories/{key}", inPath: ["key"], inQuery: ["reason"], body: "none", again: false, media: "application/json" },
  deprecate_artifact: { method: "POST", path: "/v1/artifacts/{id}/deprecate", inPath: ["id"], inQuery: [], body: "fields", again: false, media: "application/json" },
  describe: { method: "GET", path: "/openapi.json", inPath: [], inQuery: [], body: "none", again: true, media: "application/json" },
  dismiss_conflict: { method: "POST", path: "/v1/conflicts/{id}/dismiss", inPath: ["id"], inQuery: [], body: "fields", again: false, media: "application/json" },
  expire: { method: "POST", path: "/v1/expire", inPath: [], inQuery: [], body: "fields", again: false, media: "application/json" },
  explain: { method: "POST", path: "/v1/explain", inPath: [], inQuery: [], body: "fields", again: true, media: "application/json" },
  export: { method: "GET", path: "/v1/export", inPath: [], inQuery: [], body: "none", again: true, media: "application/x-ndjson" },
  export_fingerprint: { method: "GET", path: "/v1/fingerprint", inPath: [], inQuery: ["agent"], body: "none", again: true, media: "application/json" },
  feedback: { method: "POST", path: "/v1/feedback", inPath: [], inQuery: [], body: "fields", again: false, media: "application/json" },
  find: { method: "POST", path: "/v1/find", inPath: [], inQuery: [], body: "fields", again: true, media: "application/json" },
  forget: { method: "POST", path: "/v1/forget", inPath: [], inQuery: [], body: "fields", again: false, media: "application/json" },
  get_artifact: { method: "GET", path: "/v1/artifacts/{id}", inPath: ["id"], inQuery: [], body: "none", again: true, media: "application/json" },
  get_conflict: { method: "GET", path: "/v1/conflicts/{id}", inPath: ["id"], inQuery: [], body: "none", again: true, media: "application/json" },
  get_key: { method: "GET", path: "/v1/keys/{id}", inPath: ["id"], inQuery: [], body: "none", again: true, media: "application/json" },
  get_policy: { method: "GET", path: "/v1/policies/{id}", inPath: ["id"], inQuery: [], body: "none", again: true, media: "application/json" },
  get_quota: { method: "GET", path: "/v1/quota", inPath: [], inQuery: [], body: "none", again: true, media: "application/json" },
  graph: { method: "GET", path: "/v1/graph", inPath: [], inQuery: ["around","depth","limit","tags","agent_id"], body: "none", again: true, media: "application/json" },
  health: { method: "GET", path: "/healthz", inPath: [], inQuery: [], body: "none", again: true, media: "application/json" },
  import: { method: "POST", path: "/v1/import", inPath: [], inQuery: [], body: "document", again: true, media: "application/json" },
  import_fingerprint: { method: "POST", path: "/v1/fingerprints", inPath: [], inQuery: ["private"], body: "document", again: false, media: "application/json" },
  ingest: { method: "POST", path: "/v1/events", inPath: [], inQuery: [], body: "document", again: true, media: "application/json" },
  ingest_traces: { method: "POST", path: "/v1/otlp/v1/traces", inPath: [], inQuery: [], body: "document", again: true, media: "application/json" },
  ingest_ws: { method: "GET", path: "/v1/ingest/ws", inPath: [], inQuery: [], body: "none", again: true, media: "" },
  list_acts: { method: "GET", path: "/v1/acts", inPath: [], inQuery: ["limit","after"], body: "none", again: true, media: "application/json" },
  list_artifacts: { method: "GET", path: "/v1/artifacts", inPath: [], inQuery: ["type","status","all","tag","min_confidence","limit","after","now"], body: "none", again: true, media: "application/json" },
  list_conflicts: { method: "GET", path: "/v1/conflicts", inPath: [], inQuery: ["status","all","limit","after"], body: "none", again: true, media: "application/json" },
  list_edges: { method: "GET", path: "/v1/graph/edges", inPath: [], inQuery: ["type","tag","status","state","limit","after","now"], body: "none", again: true, media: "application/json" },
  list_entities: { method: "GET", path: "/v1/graph/entities", inPath: [], inQuery: ["name","type","tag","status","state","limit","after","now"], body: "none", again: true, media: "application/json" },
  list_events: { method: "GET", path: "/v1/events", inPath: [], inQuery: ["session","agent","trace","correlation","children_of","limit","after"], body: "none", again: true, media: "application/json" },
  list_feedback: { method: "GET", path: "/v1/feedback", inPath: [], inQuery: ["type","tag","status","state","limit","after","now"], body: "none", again: true, media: "application/json" },
  list_fingerprints: { method: "GET", path: "/v1/fingerprints", inPath: [], inQuery: ["limit","after"], body: "none", again: true, media: "application/json" },
  list_keys: { method: "GET", path: "/v1/keys", inPath: [], inQuery: ["all","limit","after"], body: "none", again: true, media: "application/json" },
  list_memories: { method: "GET", path: "/v1/memories", inPath: [], inQuery: ["type","tag","status","state","limit","after","now"], body: "none", again: true, media: "application/json" },
  list_policies: { method: "GET", path: "/v1/policies", inPath: [], inQuery: ["type","tag","status","state","limit","after","now"], body: "none", again: true, media: "application/json" },
  list_relations: { method: "GET", path: "/v1/graph/relations", inPath: [], inQuery: ["type","tag","status","state","limit","after","now"], body: "none", again: true, media: "application/json" },
  list_sessions: { method: "GET", path: "/v1/sessions", inPath: [], inQuery: ["limit","after"], body: "none", again: true, media: "application/json" },
  list_tags: { method: "GET", path: "/v1/tags", inPath: [], inQuery: ["limit","after"], body: "none", again: true, media: "application/json" },
  list_tenants: { method: "GET", path: "/v1/tenants", inPath: [], inQuery: ["limit","after"], body: "none", again: true, media: "application/json" },
  list_violations: { method: "GET", path: "/v1/violations", inPath: [], inQuery: ["type","tag","status","state","limit","after","now"], body: "none", again: true, media: "application/json" },
  memory_history: { method: "GET", path: "/v1/history", inPath: [], inQuery: ["name","key","limit","after"], body: "none", again: true, media: "application/json" },
  memory_tool: { method: "POST", path: "/v1/memory_tool", inPath: [], inQuery: [], body: "fields", again: false, media: "application/json" },
  mint_scope: { method: "POST", path: "/v1/scopes", inPath: [], inQuery: [], body: "fields", again: false, media: "application/json" },
  neighbours: { method: "GET", path: "/v1/graph/neighbours", inPath: [], inQuery: ["name","key"], body: "none", again: true, media: "application/json" },
  next_step: { method: "POST", path: "/v1/next_step", inPath: [], inQuery: [], body: "fields", again: true, media: "application/json" },
  pack: { method: "POST", path: "/v1/pack", inPath: [], inQuery: [], body: "fields", again: true, media: "application/json" },
  pack_context: { method: "POST", path: "/v1/pack_context", inPath: [], inQuery: [], body: "fields", again: true, media: "text/markdown" },
  pack_text: { method: "POST", path: "/v1/pack_text", inPath: [], inQuery: [], body: "fields", again: true, media: "text/markdown" },
  prove_consistency: { method: "GET", path: "/v1/proof/consistency", inPath: [], inQuery: ["from","to"], body: "none", again: true, media: "application/json" },
  prove_inclusion: { method: "GET", path: "/v1/proof/inclusion", inPath: [], inQuery: ["position","name","key","size","withhold"], body: "none", again: true, media: "application/json" },
  put_entity: { method: "POST", path: "/v1/graph/entities", inPath: [], inQuery: [], body: "document", again: false, media: "application/json" },
  put_memory: { method: "PUT", path: "/v1/memories/{key}", inPath: ["key"], inQuery: [], body: "fields", again: false, media: "application/json" },
  put_policy: { method: "POST", path: "/v1/policies", inPath: [], inQuery: [], body: "document", again: false, media: "application/json" },
  put_relation: { method: "POST", path: "/v1/graph/relations", inPath: [], inQuery: [], body: "document", again: false, media: "application/json" },
  ready: { method: "GET", path: "/readyz", inPath: [], inQuery: [], body: "none", again: true, media: "application/json" },
  recall: { method: "GET", path: "/v1/memories/{key}", inPath: ["key"], inQuery: ["version","form","now"], body: "none", again: true, media: "application/json" },
  record_event: { method: "POST", path: "/v1/sessions/{session_id}/events", inPath: ["session_id"], inQuery: [], body: "fields", again: false, media: "application/json" },
  redact_memory: { method: "POST", path: "/v1/redact", inPath: [], inQuery: [], body: "fields", again: false, media: "application/json" },
  relate_memories: { method: "POST", path: "/v1/graph/edges", inPath: [], inQuery: [], body: "fields", again: false, media: "application/json" },
  remember: { method: "POST", path: "/v1/memories", inPath: [], inQuery: [], body: "fields", again: false, media: "application/json" },
  remember_if_absent: { method: "POST", path: "/v1/memories/if_absent", inPath: [], inQuery: [], body: "fields", again: false, media: "application/json" },
  resolve: { method: "GET", path: "/v1/resolve", inPath: [], inQuery: ["name","key","version","at","now"], body: "none", again: true, media: "application/json" },
  resolve_conflict: { method: "POST", path: "/v1/conflicts/{id}/resolve", inPath: ["id"], inQuery: [], body: "fields", again: false, media: "application/json" },
  restore_memory: { method: "POST", path: "/v1/restore", inPath: [], inQuery: [], body: "fields", again: false, media: "application/json" },
  revoke_key: { method: "DELETE", path: "/v1/keys/{id}", inPath: ["id"], inQuery: ["reason"], body: "none", again: false, media: "application/json" },
  root: { method: "GET", path: "/v1/root", inPath: [], inQuery: [], body: "none", again: true, media: "application/json" },
  search: { method: "POST", path: "/v1/search", inPath: [], inQuery: [], body: "fields", again: true, media: "application/json" },
  set_quota: { method: "PUT", path: "/v1/quota", inPath: [], inQuery: [], body: "fields", again: false, media: "application/json" },
  stats: { method: "GET", path: "/v1/stats", inPath: [], inQuery: ["days","top","agent_id"], body: "none", again: true, media: "application/json" },
  storage: { method: "GET", path: "/v1/storage", inPath: [], inQuery: [], body: "none", again: true, media: "application/json" },
  tail_events: { method: "GET", path: "/v1/events/stream", inPath: [], inQuery: ["session","agent","type","from"], body: "none", again: true, media: "text/event-stream" },
  timeline: { method: "GET", path: "/v1/sessions/{session_id}/timeline", inPath: ["session_id"], inQuery: ["full","limit","after","agent_id"], body: "none", again: true, media: "application/json" },
  verifier_key: { method: "GET", path: "/v1/key", inPath: [], inQuery: [], body: "none", again: true, media: "application/json" },
  verify: { method: "POST", path: "/v1/verify", inPath: [], inQuery: [], body: "fields", again: false, media: "application/json" },
  verify_pack: { method: "POST", path: "/v1/packs/verify", inPath: [], inQuery: [], body: "document", again: true, media: "application/json" },
};

/** OperationMethods has a method for each operation that is one call and one answer. */
export abstract class OperationMethods {
  /** call asks an operation by its name. */
  abstract call<N extends OperationName>(name: N, input: Operations[N]["input"], options?: CallOptions): Promise<Operations[N]["answer"]>;

  /** Make a draft active. */
  approveArtifact(input: ApproveArtifactInput, options?: CallOptions): Promise<Operations["approve_artifact"]["answer"]> {
    return this.call("approve_artifact", input, options);
  }

  /** Retire an active artifact. */
  archiveArtifact(input: ArchiveArtifactInput, options?: CallOptions): Promise<Operations["archive_artifact"]["answer"]> {
    return this.call("archive_artifact", input, options);
  }

  /** Show the versions of an artifact, who superseded what, when and why. */
  artifactChain(input: ArtifactChainInput, options?: CallOptions): Promise<Operations["artifact_chain"]["answer"]> {
    return this.call("artifact_chain", input, options);
  }

  /** Show what changed from one version of an artifact to another. */
  artifactDiff(input: ArtifactDiffInput, options?: CallOptions): Promise<Operations["artifact_diff"]["answer"]> {
    return this.call("artifact_diff", input, options);
  }

  /** Check a planned action against rules and past failures. */
  checkAction(input: CheckActionInput = {}, options?: CallOptions): Promise<Operations["check_action"]["answer"]> {
    return this.call("check_action", input, options);
  }

  /** Show what a scope token says, and whether it is valid. */
  checkScope(input: CheckScopeInput, options?: CallOptions): Promise<Operations["check_scope"]["answer"]> {
    return this.call("check_scope", input, options);
  }

  /** Sign the state of the tenant (a C2SP note). */
  checkpoint(input: Record<string, never> = {}, options?: CallOptions): Promise<Operations["checkpoint"]["answer"]> {
    return this.call("checkpoint", input, options);
  }

  /** Derive artifacts from what happened, and memories from what users stated. */
  compile(input: CompileInput = {}, options?: CallOptions): Promise<Operations["compile"]["answer"]> {
    return this.call("compile", input, options);
  }

  /** What to know before a task: rules and goals, what matters for it, how it went before. */
  context(input: ContextInput = {}, options?: CallOptions): Promise<Operations["context"]["answer"]> {
    return this.call("context", input, options);
  }

  /** Make a credential; its token is shown once. */
  createKey(input: CreateKeyInput, options?: CallOptions): Promise<Operations["create_key"]["answer"]> {
    return this.call("create_key", input, options);
  }

  /** Forget the memory under the key in the path. */
  deleteMemory(input: DeleteMemoryInput, options?: CallOptions): Promise<Operations["delete_memory"]["answer"]> {
    return this.call("delete_memory", input, options);
  }

  /** Mark an artifact or a draft as wrong. */
  deprecateArtifact(input: DeprecateArtifactInput, options?: CallOptions): Promise<Operations["deprecate_artifact"]["answer"]> {
    return this.call("deprecate_artifact", input, options);
  }

  /** This document. */
  describe(input: Record<string, never> = {}, options?: CallOptions): Promise<Operations["describe"]["answer"]> {
    return this.call("describe", input, options);
  }

  /** Dismiss a conflict: its sides do not contradict each other. */
  dismissConflict(input: DismissConflictInput, options?: CallOptions): Promise<Operations["dismiss_conflict"]["answer"]> {
    return this.call("dismiss_conflict", input, options);
  }

  /** Record the expiry of everything whose time is over. */
  expire(input: ExpireInput = {}, options?: CallOptions): Promise<Operations["expire"]["answer"]> {
    return this.call("expire", input, options);
  }

  /** Explain why a record is in a pack, or is not. */
  explain(input: ExplainInput, options?: CallOptions): Promise<Operations["explain"]["answer"]> {
    return this.call("explain", input, options);
  }

  /** Return a digest of what the agents of the tenant learned, or one agent. */
  exportFingerprint(input: ExportFingerprintInput = {}, options?: CallOptions): Promise<Operations["export_fingerprint"]["answer"]> {
    return this.call("export_fingerprint", input, options);
  }

  /** Report the outcome of a task and which records it used, so that later answers are better. */
  feedback(input: FeedbackInput, options?: CallOptions): Promise<Operations["feedback"]["answer"]> {
    return this.call("feedback", input, options);
  }

  /** Find records that match all predicates, and follow edges from them. */
  find(input: FindInput = {}, options?: CallOptions): Promise<Operations["find"]["answer"]> {
    return this.call("find", input, options);
  }

  /** Put a tombstone on a memory; its history stays. */
  forget(input: ForgetInput = {}, options?: CallOptions): Promise<Operations["forget"]["answer"]> {
    return this.call("forget", input, options);
  }

  /** Show an artifact and its evidence. */
  getArtifact(input: GetArtifactInput, options?: CallOptions): Promise<Operations["get_artifact"]["answer"]> {
    return this.call("get_artifact", input, options);
  }

  /** Show a conflict and its sides. */
  getConflict(input: GetConflictInput, options?: CallOptions): Promise<Operations["get_conflict"]["answer"]> {
    return this.call("get_conflict", input, options);
  }

  /** Show a credential, without its token. */
  getKey(input: GetKeyInput, options?: CallOptions): Promise<Operations["get_key"]["answer"]> {
    return this.call("get_key", input, options);
  }

  /** Show a policy. */
  getPolicy(input: GetPolicyInput, options?: CallOptions): Promise<Operations["get_policy"]["answer"]> {
    return this.call("get_policy", input, options);
  }

  /** Show what the tenant may send and keep. */
  getQuota(input: Record<string, never> = {}, options?: CallOptions): Promise<Operations["get_quota"]["answer"]> {
    return this.call("get_quota", input, options);
  }

  /** Show records and their connections: around one of them, or the newest. */
  graph(input: GraphInput = {}, options?: CallOptions): Promise<Operations["graph"]["answer"]> {
    return this.call("graph", input, options);
  }

  /** Whether the process answers. */
  health(input: Record<string, never> = {}, options?: CallOptions): Promise<Operations["health"]["answer"]> {
    return this.call("health", input, options);
  }

  /** Store a fingerprint, so that it guides packs. */
  importFingerprint(input: ImportFingerprintInput, options?: CallOptions): Promise<Operations["import_fingerprint"]["answer"]> {
    return this.call("import_fingerprint", input, options);
  }

  /** Record the spans about generative AI of an OTLP/HTTP export request. */
  ingestTraces(input: IngestTracesInput, options?: CallOptions): Promise<Operations["ingest_traces"]["answer"]> {
    return this.call("ingest_traces", input, options);
  }

  /** List administrative acts, oldest first. */
  listActs(input: ListActsInput = {}, options?: CallOptions): Promise<Operations["list_acts"]["answer"]> {
    return this.call("list_acts", input, options);
  }

  /** List artifacts: procedures, playbooks, policies. */
  listArtifacts(input: ListArtifactsInput = {}, options?: CallOptions): Promise<Operations["list_artifacts"]["answer"]> {
    return this.call("list_artifacts", input, options);
  }

  /** List conflicts between records, newest first. */
  listConflicts(input: ListConflictsInput = {}, options?: CallOptions): Promise<Operations["list_conflicts"]["answer"]> {
    return this.call("list_conflicts", input, options);
  }

  /** List the edges between records, newest first. */
  listEdges(input: ListEdgesInput = {}, options?: CallOptions): Promise<Operations["list_edges"]["answer"]> {
    return this.call("list_edges", input, options);
  }

  /** List entities, newest first, or by name. */
  listEntities(input: ListEntitiesInput = {}, options?: CallOptions): Promise<Operations["list_entities"]["answer"]> {
    return this.call("list_entities", input, options);
  }

  /** Show the events of a session, an agent, a trace or a correlation, in order. */
  listEvents(input: ListEventsInput = {}, options?: CallOptions): Promise<Operations["list_events"]["answer"]> {
    return this.call("list_events", input, options);
  }

  /** List feedback about tasks, newest first. */
  listFeedback(input: ListFeedbackInput = {}, options?: CallOptions): Promise<Operations["list_feedback"]["answer"]> {
    return this.call("list_feedback", input, options);
  }

  /** List the fingerprints that were imported, newest first. */
  listFingerprints(input: ListFingerprintsInput = {}, options?: CallOptions): Promise<Operations["list_fingerprints"]["answer"]> {
    return this.call("list_fingerprints", input, options);
  }

  /** List credentials, oldest first, without their tokens: the valid ones, or all. */
  listKeys(input: ListKeysInput = {}, options?: CallOptions): Promise<Operations["list_keys"]["answer"]> {
    return this.call("list_keys", input, options);
  }

  /** List memories, newest first. */
  listMemories(input: ListMemoriesInput = {}, options?: CallOptions): Promise<Operations["list_memories"]["answer"]> {
    return this.call("list_memories", input, options);
  }

  /** List policies, newest first. */
  listPolicies(input: ListPoliciesInput = {}, options?: CallOptions): Promise<Operations["list_policies"]["answer"]> {
    return this.call("list_policies", input, options);
  }

  /** List relations between entities, newest first. */
  listRelations(input: ListRelationsInput = {}, options?: CallOptions): Promise<Operations["list_relations"]["answer"]> {
    return this.call("list_relations", input, options);
  }

  /** List the sessions, ordered by id. */
  listSessions(input: ListSessionsInput = {}, options?: CallOptions): Promise<Operations["list_sessions"]["answer"]> {
    return this.call("list_sessions", input, options);
  }

  /** List the tags of memories, with how many have each. */
  listTags(input: ListTagsInput = {}, options?: CallOptions): Promise<Operations["list_tags"]["answer"]> {
    return this.call("list_tags", input, options);
  }

  /** List the tenants, with their roots. */
  listTenants(input: ListTenantsInput = {}, options?: CallOptions): Promise<Operations["list_tenants"]["answer"]> {
    return this.call("list_tenants", input, options);
  }

  /** List what scopes refused, newest first. */
  listViolations(input: ListViolationsInput = {}, options?: CallOptions): Promise<Operations["list_violations"]["answer"]> {
    return this.call("list_violations", input, options);
  }

  /** Show the versions of a memory, oldest first. */
  memoryHistory(input: MemoryHistoryInput = {}, options?: CallOptions): Promise<Operations["memory_history"]["answer"]> {
    return this.call("memory_history", input, options);
  }

  /** Run a command of Anthropic's memory tool on files below /memories. */
  memoryTool(input: MemoryToolInput, options?: CallOptions): Promise<Operations["memory_tool"]["answer"]> {
    return this.call("memory_tool", input, options);
  }

  /** Make a scope token: what another agent may see and do, until when. */
  mintScope(input: MintScopeInput, options?: CallOptions): Promise<Operations["mint_scope"]["answer"]> {
    return this.call("mint_scope", input, options);
  }

  /** Show what refers to a record or an event: edges, relations, conflicts, feedback, what was derived from it. */
  neighbours(input: NeighboursInput = {}, options?: CallOptions): Promise<Operations["neighbours"]["answer"]> {
    return this.call("neighbours", input, options);
  }

  /** Suggest which tool a session may call next, and why. */
  nextStep(input: NextStepInput, options?: CallOptions): Promise<Operations["next_step"]["answer"]> {
    return this.call("next_step", input, options);
  }

  /** Return what an agent needs to know for a question, within a budget of tokens. */
  pack(input: PackInput, options?: CallOptions): Promise<Operations["pack"]["answer"]> {
    return this.call("pack", input, options);
  }

  /** Fill a token budget with what is known about a topic, as markdown. */
  packContext(input: PackContextInput, options?: CallOptions): Promise<Operations["pack_context"]["answer"]> {
    return this.call("pack_context", input, options);
  }

  /** Return a pack as markdown, to put into a prompt. */
  packText(input: PackTextInput, options?: CallOptions): Promise<Operations["pack_text"]["answer"]> {
    return this.call("pack_text", input, options);
  }

  /** Prove that the tenant's log only grew. */
  proveConsistency(input: ProveConsistencyInput, options?: CallOptions): Promise<Operations["prove_consistency"]["answer"]> {
    return this.call("prove_consistency", input, options);
  }

  /** Prove that a record is in the tenant's log. */
  proveInclusion(input: ProveInclusionInput = {}, options?: CallOptions): Promise<Operations["prove_inclusion"]["answer"]> {
    return this.call("prove_inclusion", input, options);
  }

  /** Store an entity: a person, system or object that records mention. */
  putEntity(input: PutEntityInput, options?: CallOptions): Promise<Operations["put_entity"]["answer"]> {
    return this.call("put_entity", input, options);
  }

  /** Store a memory under the key in the path. */
  putMemory(input: PutMemoryInput, options?: CallOptions): Promise<Operations["put_memory"]["answer"]> {
    return this.call("put_memory", input, options);
  }

  /** Store a policy: an instruction or constraint for agents, or how long records are kept. */
  putPolicy(input: PutPolicyInput, options?: CallOptions): Promise<Operations["put_policy"]["answer"]> {
    return this.call("put_policy", input, options);
  }

  /** Store a relation between two entities. */
  putRelation(input: PutRelationInput, options?: CallOptions): Promise<Operations["put_relation"]["answer"]> {
    return this.call("put_relation", input, options);
  }

  /** Whether calls are served. */
  ready(input: Record<string, never> = {}, options?: CallOptions): Promise<Operations["ready"]["answer"]> {
    return this.call("ready", input, options);
  }

  /** Show what is remembered under a key, now or at a version. */
  recall(input: RecallInput, options?: CallOptions): Promise<Operations["recall"]["answer"]> {
    return this.call("recall", input, options);
  }

  /** Record something that was said or done in a session. */
  recordEvent(input: RecordEventInput, options?: CallOptions): Promise<Operations["record_event"]["answer"]> {
    return this.call("record_event", input, options);
  }

  /** Erase memories and events for good, with their history; needs the right admin. */
  redactMemory(input: RedactMemoryInput = {}, options?: CallOptions): Promise<Operations["redact_memory"]["answer"]> {
    return this.call("redact_memory", input, options);
  }

  /** Connect two records: one supports, contradicts, causes … the other. */
  relateMemories(input: RelateMemoriesInput, options?: CallOptions): Promise<Operations["relate_memories"]["answer"]> {
    return this.call("relate_memories", input, options);
  }

  /** Store a memory under a key; an existing key gets a new version. */
  remember(input: RememberInput, options?: CallOptions): Promise<Operations["remember"]["answer"]> {
    return this.call("remember", input, options);
  }

  /** Store a memory unless its key exists; then return the existing one. */
  rememberIfAbsent(input: RememberIfAbsentInput, options?: CallOptions): Promise<Operations["remember_if_absent"]["answer"]> {
    return this.call("remember_if_absent", input, options);
  }

  /** Show what a URI or a key names: an event, or a record of any kind. */
  resolve(input: ResolveInput = {}, options?: CallOptions): Promise<Operations["resolve"]["answer"]> {
    return this.call("resolve", input, options);
  }

  /** Settle a conflict, and name the side that holds. */
  resolveConflict(input: ResolveConflictInput, options?: CallOptions): Promise<Operations["resolve_conflict"]["answer"]> {
    return this.call("resolve_conflict", input, options);
  }

  /** Bring back what is forgotten, or an earlier version. */
  restoreMemory(input: RestoreMemoryInput = {}, options?: CallOptions): Promise<Operations["restore_memory"]["answer"]> {
    return this.call("restore_memory", input, options);
  }

  /** End a credential at once, open connections included. */
  revokeKey(input: RevokeKeyInput, options?: CallOptions): Promise<Operations["revoke_key"]["answer"]> {
    return this.call("revoke_key", input, options);
  }

  /** Name the state of the tenant: how many records, and the root over them. */
  root(input: Record<string, never> = {}, options?: CallOptions): Promise<Operations["root"]["answer"]> {
    return this.call("root", input, options);
  }

  /** Find what answers a question, the best first. */
  search(input: SearchInput, options?: CallOptions): Promise<Operations["search"]["answer"]> {
    return this.call("search", input, options);
  }

  /** Set what the tenant may send and keep. */
  setQuota(input: SetQuotaInput = {}, options?: CallOptions): Promise<Operations["set_quota"]["answer"]> {
    return this.call("set_quota", input, options);
  }

  /** Count events, memories, artifacts, sessions and agents, by day, and calls of tools with their outcomes. */
  stats(input: StatsInput = {}, options?: CallOptions): Promise<Operations["stats"]["answer"]> {
    return this.call("stats", input, options);
  }

  /** Show how much disk space the data directory takes. */
  storage(input: Record<string, never> = {}, options?: CallOptions): Promise<Operations["storage"]["answer"]> {
    return this.call("storage", input, options);
  }

  /** Show a session step by step: what was said and done, how it went, and what was learned from it. */
  timeline(input: TimelineInput, options?: CallOptions): Promise<Operations["timeline"]["answer"]> {
    return this.call("timeline", input, options);
  }

  /** Show the public key that verifies signatures. */
  verifierKey(input: Record<string, never> = {}, options?: CallOptions): Promise<Operations["verifier_key"]["answer"]> {
    return this.call("verifier_key", input, options);
  }

  /** Verify the data directory: quickly, or to the last byte. */
  verify(input: VerifyInput = {}, options?: CallOptions): Promise<Operations["verify"]["answer"]> {
    return this.call("verify", input, options);
  }

  /** Prove what a pack says, entry by entry, down to the journal. */
  verifyPack(input: VerifyPackInput, options?: CallOptions): Promise<Operations["verify_pack"]["answer"]> {
    return this.call("verify_pack", input, options);
  }
}
