import type { JSONObject } from "./operations.js";

/** EventType is one of the thirteen standard types of events, or one of a vendor's own. */
export type EventType =
  | "message"
  | "tool_call"
  | "tool_result"
  | "file_edit"
  | "test_run"
  | "command_exec"
  | "browser_action"
  | "api_result"
  | "decision"
  | "error"
  | "observation"
  | "state_change"
  | "feedback"
  | `x-${string}-${string}`;

/** HMXEvent is what an agent saw or did: a document of HMX-E. */
export interface HMXEvent {
  hmx_version: string;
  event_id: string;
  event_type: EventType;
  agent_id: string;
  tenant_id: string;
  session_id: string;
  timestamp: string;
  sequence: number;
  content: JSONObject;
  metadata: JSONObject;
  trace_id?: string;
  correlation_id?: string;
  parent_event_id?: string;
  embeddings?: number[];
  salience?: number;
  source?: string;
  provenance_ref?: string;
  tags?: string[];
  ttl_seconds?: number;
}

/** PackEntry is something in a pack, and where it comes from. */
export interface PackEntry {
  section: string;
  content: string;
  source_id: string;
  source_type: string;
  relevance_score: number;
  token_estimate: number;
  rank: number;
  provenance: { origin: string; confidence: number; evidence_count: number };
  [more: string]: unknown;
}

/** Pack is what an agent needs to know for a question: a document of HMX-C. */
export interface Pack {
  hmx_version: string;
  pack_id: string;
  tenant_id: string;
  query_context: string;
  entries: PackEntry[];
  token_budget: { total_budget: number; used: number; remaining: number; truncated: boolean; dropped_count: number; [more: string]: unknown };
  assembly_metadata: JSONObject;
  created_at: string;
  metadata: JSONObject;
  [more: string]: unknown;
}
