package node

// asked is a good request of every operation, as the arguments of a tool. A word in braces
// is something of the tenant whose names are used, and {n} the number of the cell. Events
// of operations that stream are sent as they are.
var asked = map[string]string{
	"ingest":        `{"event":{"hmx_version":"HMX-1.0","event_id":"e-{n}","event_type":"message","agent_id":"coder","tenant_id":"{tenant}","session_id":"s-{n}","timestamp":"2026-11-10T10:00:00.000Z","sequence":0,"content":{"role":"user","text":"Hello."},"metadata":{}}}`,
	"record_event":  `{"session_id":"r-{n}","event_type":"message","content":{"role":"user","text":"Hello."}}`,
	"list_events":   `{"session":"session-2026-11-02-refund-bug"}`,
	"list_sessions": `{}`,
	"tail_events":   `{"from":0}`,
	"ingest_ws":     `{}`,
	"ingest_traces": `{"traces":{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"chat","startTimeUnixNano":"1762768800000000000","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.agent.name","value":{"stringValue":"coder"}},{"key":"gen_ai.conversation.id","value":{"stringValue":"t-{n}"}},{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"content\":\"Hello.\"}]"}}]}]}]}]}}`,

	"pack":         `{"query":"when are releases cut"}`,
	"pack_text":    `{"query":"when are releases cut"}`,
	"pack_context": `{"topic":"release"}`,
	"context":      `{"verb":"modify","objects":{"file":"billing/refund.go"}}`,
	"explain":      `{"id":"{event}","query":"refunds"}`,
	"verify_pack":  `{"pack":{pack}}`,
	"search":       `{"query":"refunds releases deploy tabs"}`,
	"find":         `{"tags":["release"]}`,

	"remember":           `{"key":"made/{n}","text":"Made by a cell."}`,
	"remember_if_absent": `{"key":"release/cadence","text":"Releases are cut on Mondays."}`,
	"put_memory":         `{"key":"put/{n}","text":"Put by a cell."}`,
	"recall":             `{"key":"release/cadence"}`,
	"list_memories":      `{"limit":1000}`,
	"list_tags":          `{}`,
	"memory_history":     `{"name":"release/cadence"}`,
	"restore_memory":     `{"name":"cell/{n}","version":1}`,
	"forget":             `{"name":"cell/{n}"}`,
	"delete_memory":      `{"key":"cell/{n}"}`,
	"redact_memory":      `{"names":["cell/{n}"]}`,
	"feedback":           `{"outcome":"success","cited":["release/cadence"]}`,
	"list_feedback":      `{}`,
	"resolve":            `{"name":"lukasa://{tenant}/event/{event}"}`,
	"memory_tool":        `{"command":"create","path":"/memories/cell/{n}.md","file_text":"Made by a cell."}`,

	"list_artifacts":     `{"all":true}`,
	"get_artifact":       `{"id":"{artifact}"}`,
	"artifact_chain":     `{"id":"{artifact}"}`,
	"artifact_diff":      `{"id":"{artifact}","from":"{draft}"}`,
	"approve_artifact":   `{"id":"{draft}","reason":"It is seen often."}`,
	"archive_artifact":   `{"id":"{artifact}","reason":"It is done another way."}`,
	"deprecate_artifact": `{"id":"{draft}","reason":"It was a coincidence."}`,
	"compile":            `{"dry_run":true}`,
	"next_step":          `{"session_id":"session-2026-11-02-refund-bug"}`,
	"check_action":       `{"command":"git push origin main"}`,
	"list_conflicts":     `{"all":true}`,
	"get_conflict":       `{"id":"{conflict}"}`,
	"resolve_conflict":   `{"id":"{conflict}","reason":"The style guide says so."}`,
	"dismiss_conflict":   `{"id":"{conflict}","reason":"They are about different files."}`,
	"put_policy":         `{"policy":{"id":"q-{n}","kind":"instruction","text":"Ask before you leave."}}`,
	"list_policies":      `{"limit":1000}`,
	"get_policy":         `{"id":"p1"}`,
	"relate_memories":    `{"from":"release/cadence","to":"deploy/window","kind":"supports"}`,
	"list_edges":         `{"limit":1000}`,
	"put_entity":         `{"entity":{"id":"x-{n}","name":"Somebody","type":"person"}}`,
	"list_entities":      `{"limit":1000}`,
	"put_relation":       `{"relation":{"from":"e1","to":"e2","predicate":"owns"}}`,
	"list_relations":     `{}`,
	"neighbours":         `{"name":"release/cadence"}`,
	"stats":              `{}`,
	"storage":            `{}`,
	"timeline":           `{"session_id":"session-2026-11-02-refund-bug"}`,
	"graph":              `{"around":"release/cadence"}`,
	"export_fingerprint": `{}`,
	"import_fingerprint": `{"fingerprint":{fingerprint}}`,
	"list_fingerprints":  `{}`,

	"root":              `{}`,
	"checkpoint":        `{}`,
	"verifier_key":      `{}`,
	"prove_inclusion":   `{"name":"lukasa://{tenant}/event/{event}"}`,
	"prove_consistency": `{"from":3}`,
	"expire":            `{}`,
	"export":            `{}`,
	"import":            `{"export":{"lukasa_export":1}}`,
	"verify":            `{}`,

	"mint_scope":      `{"to":"coder","include":{"types":["goal"]},"expires_at":"{tomorrow}"}`,
	"check_scope":     `{"token":"{scope}"}`,
	"list_violations": `{}`,
	"create_key":      `{"role":"tenant","tenant":"{tenant}","rights":["admin"],"trust":"external","label":"made by a cell"}`,
	"list_keys":       `{"all":true,"limit":1000}`,
	"get_key":         `{"id":"{key}"}`,
	"revoke_key":      `{"id":"{victim}"}`,
	"list_acts":       `{"limit":1000}`,
	"list_tenants":    `{}`,
	"get_quota":       `{}`,
	"set_quota":       `{"requests_per_second":-1,"events_per_second":-1,"bytes_per_second":-1}`,
}

// settled are the codes that besides a good answer say that an operation was allowed, where
// a cell before settled what it is about, perhaps with more trust.
var settled = map[string][]string{
	"approve_artifact":   {"invalid_argument", "untrusted"},
	"archive_artifact":   {"invalid_argument", "untrusted"},
	"deprecate_artifact": {"invalid_argument", "untrusted"},
	"resolve_conflict":   {"version_conflict", "untrusted"},
	"dismiss_conflict":   {"version_conflict", "untrusted"},
}

// strange are the codes that somebody gets who may do an operation, and asks for what only
// another tenant has.
var strange = map[string]string{
	"ingest": "not_permitted", "ingest_ws": "not_permitted", "create_key": "not_permitted",
	"resolve": "invalid_argument", "prove_inclusion": "invalid_argument",
	"get_artifact": "not_found", "artifact_chain": "not_found", "artifact_diff": "not_found",
	"approve_artifact": "not_found", "archive_artifact": "not_found", "deprecate_artifact": "not_found",
	"get_conflict": "not_found", "resolve_conflict": "not_found", "dismiss_conflict": "not_found",
	"get_key": "not_found", "revoke_key": "not_found",
}
