package hmx

import "slices"

// Rule is one rule that a Problem can name.
type Rule struct {
	Code string // document and section, such as HMX-E/6.5
	Text string // the requirement
}

// Rules lists every rule, by document and section. Codes are stable: a published code keeps its
// meaning.
func Rules() []Rule { return slices.Clone(rules) }

var rules = []Rule{
	{"HMX-JSON/empty", "A document is one JSON value; there was none."},
	{"HMX-JSON/syntax", "A document is JSON as RFC 8259 defines it."},
	{"HMX-JSON/depth", "Arrays and objects nest at most 64 deep."},
	{"HMX-JSON/trailing-data", "Nothing follows the value."},
	{"HMX-JSON/bom", "The text starts with the value, not with a byte order mark."},
	{"HMX-JSON/utf8", "Text is valid UTF-8."},
	{"HMX-JSON/surrogate", "Escaped surrogates come in pairs."},
	{"HMX-JSON/duplicate-key", "A name stands once in an object."},
	{"HMX-JSON/number", "A number is finite and fits an IEEE 754 double."},
	{"HMX-JSON/too-many", "Reading stops when a text has too many flaws."},
	{"HMX-JSON/size", "A text has less than 2 GiB."},

	{"HMX-E/2", "An event is a JSON object."},
	{"HMX-E/2.1", "The ten required fields are there; agent_id, tenant_id and session_id are non-empty strings."},
	{"HMX-E/2.2", "Optional fields have their type when they are there."},
	{"HMX-E/3", "event_type is a non-empty string: a standard type, or x-{vendor}-{type}. Any other is accepted with a warning."},
	{"HMX-E/4.1", "The normative fields of a message's content have their types and values."},
	{"HMX-E/4.2", "The normative fields of a tool_call's content have their types and values."},
	{"HMX-E/4.3", "The normative fields of a tool_result's content have their types and values."},
	{"HMX-E/4.4", "The normative fields of a decision's content have their types and values."},
	{"HMX-E/4.5", "The normative fields of an error's content have their types and values."},
	{"HMX-E/4.6", "The normative fields of a feedback's content have their types and values."},
	{"HMX-E/5", "An event has no fields beside those of the document; names are case-sensitive."},
	{"HMX-E/6.1", "hmx_version is HMX-<major>.<minor>. Another version than HMX-1.0 is accepted with a warning."},
	{"HMX-E/6.2", "event_id is a non-empty string; UUIDv7 is recommended."},
	{"HMX-E/6.3", "timestamp is an RFC 3339 date-time with a zone."},
	{"HMX-E/6.4", "sequence is an integer from 0 to 2^63-1."},
	{"HMX-E/6.5", "salience is a number from 0 to 1."},
	{"HMX-E/6.6", "embeddings is a non-empty array of finite numbers."},
	{"HMX-E/6.7", "content is an object."},
	{"HMX-E/6.8", "metadata is an object."},
	{"HMX-E/6.9", "tags is an array of strings."},
	{"HMX-E/6.10", "ttl_seconds is an integer from 0 to 2^63-1."},
	{"HMX-E/8", "A stream has one event a line, and a line ends with a line feed alone. With a carriage return before it the event is read all the same."},
	{"HMX-E/10", "An EpisodeTrace has the fields of the mapping."},
	{"HMX-E/11", "An event has at most 1 MB, its content 512 KB, its metadata 64 KB, 4096 embeddings and 64 tags."},

	{"HMX-A/2", "An artifact is a JSON object."},
	{"HMX-A/2.1", "The fourteen required fields are there and have their types; an artifact that supersedes another has version 2 or higher."},
	{"HMX-A/2.2", "Optional fields have their type when they are there."},
	{"HMX-A/3", "artifact_type is one of the five, or x-{vendor}-{type}."},
	{"HMX-A/4", "content is an object."},
	{"HMX-A/4.1", "The normative fields of a task_schema have their types and values."},
	{"HMX-A/4.2", "The normative fields of a failure_playbook have their types and values."},
	{"HMX-A/4.3", "The normative fields of a decision_policy have their types and values."},
	{"HMX-A/4.4", "The normative fields of a causal_pattern have their types and values."},
	{"HMX-A/4.5", "The normative fields of a strategy_template have their types and values."},
	{"HMX-A/5", "status is one of the five states, and changes only along the allowed transitions."},
	{"HMX-A/6", "The fields of validity_scope have their types, and a time range ends at or after its start."},
	{"HMX-A/7", "A supersession chain does not branch."},
	{"HMX-A/7.1", "An artifact does not supersede itself."},
	{"HMX-A/7.2", "A supersession chain has no cycle."},
	{"HMX-A/7.3", "An artifact with a successor has the status superseded."},
	{"HMX-A/7.4", "At most one artifact of a chain is active."},
	{"HMX-A/7.5", "A chain can be followed in both directions: neighbours name each other."},
	{"HMX-A/8", "content_hash is the lower-case hexadecimal SHA-256 of the canonical content."},
	{"HMX-A/9", "An artifact has no fields beside those of the document; names are case-sensitive."},
	{"HMX-A/11", "A CompiledArtifact has the fields of the mapping."},
	{"HMX-A/12", "An artifact has at most 512 KB, its content 256 KB, 10,000 source events and 64 tags."},

	{"HMX-C/2", "A pack is a JSON object with no fields beside those of the document; names are case-sensitive."},
	{"HMX-C/2.1", "The eight required fields are there and have their types."},
	{"HMX-C/2.2", "Optional fields have their type when they are there."},
	{"HMX-C/3", "An entry has its eight fields with their types."},
	{"HMX-C/3.1", "section is one of the ten, and draws on its own source types only."},
	{"HMX-C/3.2", "source_type is one of the seven."},
	{"HMX-C/3.3", "Entries of a section are ordered by score, then tokens, then id. Sections out of priority order are accepted with a warning."},
	{"HMX-C/4", "token_budget has its six fields; remaining is what total_budget leaves after used."},
	{"HMX-C/4.1", "Neither used nor the tokens of all entries together exceed total_budget."},
	{"HMX-C/5", "assembly_metadata has its seven fields; included_count is the number of entries, and candidate_count at least that and dropped_count together."},
	{"HMX-C/6", "The fields of workflow_hints have their types."},
	{"HMX-C/7", "A decision constraint has its five fields with their types."},
	{"HMX-C/8", "A dropped entry has its seven fields and one of the six reasons; dropped_count is at least their number."},
	{"HMX-C/9", "A ContextPack has the fields of the mapping."},
	{"HMX-C/12", "A pack has at most 256 KB, 500 entries, 100 dropped entries, 10 next steps, 20 constraints and 64 tags."},
}
