// Package arch holds the structure of the module: the floor of each package, and where each
// third party may be imported.
//
// The tests of this package read every Go file of the module and fail when the
// tree disagrees with the tables below. They guarantee that
//
//   - a package imports strictly lower floors only, also in tests;
//   - the tables and the tree name the same packages and the same third parties;
//   - docs/PACKAGES.md lists the same floors and packages, docs/ARCHITECTURE.md fits on two
//     pages, and the links and paths of the documentation lead somewhere;
//   - hmx can be extracted from the module with only internal/canon;
//   - the command line, the operations and the servers use the library, never the engine;
//   - no package is larger than its cap;
//   - no struct keeps a context and no context carries a value, so that a call ends with its
//     caller, and the caller and its permissions are arguments;
//   - every package has a doc comment, no file is a catch-all, nothing runs before main,
//     and nothing needs a C compiler.
//
// They do not judge whether a package deserves its floor. Files are parsed
// in-process, whatever their build tags, so that a platform's file is not
// overlooked on another platform.
package arch

// module is the import path of the module itself.
const module = "lukasa.dev"

// maxLines is the most a non-test file may have. Most are far below it.
const maxLines = 700

// maxPackageLines is the most that the non-test files of a package may have together.
const maxPackageLines = 4000

// floor is one floor. Its packages may import any floor below it, and neither each other nor
// anything above.
type floor struct {
	name     string
	purpose  string
	packages []string
}

// floors returns the floors from the bottom up. A new package gets a line here.
func floors() []floor {
	return []floor{{
		name:     "cellar",
		purpose:  "what the tests of every floor share",
		packages: []string{"internal/quote/quotetest", "internal/testsize"},
	}, {
		name:     "tables",
		purpose:  "what is known beforehand: what programs do",
		packages: []string{"internal/programs"},
	}, {
		name:    "ground",
		purpose: "what stands on nothing of ours: error catalogue, canonical JSON, trees, tokens, what a record is, what a command line runs, times in English, this table",
		packages: []string{
			"internal/arch",
			"internal/canon",
			"internal/demo",
			"internal/diagram",
			"internal/fault",
			"internal/lru",
			"internal/merkle",
			"internal/numeric",
			"internal/project",
			"internal/recall/times",
			"internal/record",
			"internal/semaphore",
			"internal/shell",
			"internal/tokens",
			"internal/typed",
		},
	}, {
		name:     "shape",
		purpose:  "what an HMX document looks like: fields, limits, schemas, as data; the JSON form of its structs",
		packages: []string{"hmx/internal/jsonform", "hmx/internal/shape"},
	}, {
		name:     "protocol",
		purpose:  "HMX-1.0 as a Go library: types, validation, canonical hash",
		packages: []string{"hmx"},
	}, {
		name:    "protocol edges",
		purpose: "what the protocol needs on a wire: order, framing, other dialects",
		packages: []string{
			"hmx/hippocortex",
			"hmx/reorder",
			"hmx/wire",
		},
	}, {
		name:     "documents",
		purpose:  "JSON documents field by field, with all that is wrong in them",
		packages: []string{"internal/document"},
	}, {
		name:     "vocabulary",
		purpose:  "the data of the engine: memories and the other kinds of records",
		packages: []string{"internal/memory"},
	}, {
		name:     "servers",
		purpose:  "how servers outside the program are asked: attempts, waits, when to leave them alone",
		packages: []string{"internal/remote"},
	}, {
		name:     "language",
		purpose:  "English as users write it to agents: words, forms, phrases, orders; commands, errors and values as shapes; what names in events stand for",
		packages: []string{"internal/english", "internal/kind/recognize", "internal/trace/shapes"},
	}, {
		name:     "stated",
		purpose:  "what a user stated, and what of earlier statements it puts aside; one parsed JSON value of an event",
		packages: []string{"internal/stated", "internal/trace/jsonpage"},
	}, {
		name:     "provenance",
		purpose:  "where in a session a value was first seen",
		packages: []string{"internal/trace/provenance"},
	}, {
		name:    "meaning",
		purpose: "what an event is about, what is Lukasa's own, the salience of a record, its visibility and relevance, text as terms, as vectors and as quotes",
		packages: []string{
			"internal/embed",
			"internal/handout",
			"internal/kind",
			"internal/quote",
			"internal/refine",
			"internal/relevance",
			"internal/salience",
			"internal/scope",
			"internal/secret",
			"internal/statement",
			"internal/text",
			"internal/trace",
		},
	}, {
		name:     "practice",
		purpose:  "in which state an agent took a step, and what policies hold of it; whether a text has to do with a question; what a rule forbids and what a planned action does, in the same words",
		packages: []string{"internal/concern", "internal/guide/act", "internal/policy", "internal/ruletext"},
	}, {
		name:     "composition",
		purpose:  "candidates and a budget into an answer, as pure functions",
		packages: []string{"internal/block", "internal/bundle", "internal/compile", "internal/fingerprint", "internal/guide", "internal/pack"},
	}, {
		name:     "lessons",
		purpose:  "commands that failed, and what fixed them",
		packages: []string{"internal/compile/lessons"},
	}, {
		name:     "disk",
		purpose:  "the one seam through which files are touched",
		packages: []string{"internal/disk"},
	}, {
		name:     "faulty disk",
		purpose:  "a disk that fails, lies and forgets on request, for tests",
		packages: []string{"internal/disk/disktest"},
	}, {
		name:    "storage",
		purpose: "the journal, ordered keys and values, signatures, what was handed out",
		packages: []string{
			"internal/echo",
			"internal/journal",
			"internal/kv",
			"internal/notary",
		},
	}, {
		name:     "fold",
		purpose:  "what every index has in common: the record it sees, the document in it, how its keys are made",
		packages: []string{"internal/index"},
	}, {
		name:     "columns",
		purpose:  "rows of fixed width for indexes that read those of many documents at once",
		packages: []string{"internal/index/column"},
	}, {
		name:    "indexes",
		purpose: "one fold of the journal each; none knows another",
		packages: []string{
			"internal/index/catalog",
			"internal/index/deeds",
			"internal/index/frame",
			"internal/index/graph",
			"internal/index/ledger",
			"internal/index/lexical",
			"internal/index/roster",
			"internal/index/timeline",
			"internal/index/vector",
			"internal/index/weights",
		},
	}, {
		name:     "apply and recall",
		purpose:  "the journal into the indexes, in order, with cursors; a question into what answers it",
		packages: []string{"internal/apply", "internal/recall"},
	}, {
		name:     "access",
		purpose:  "who sees what: views, scope tokens, what a scope sees of a record, where a record holds",
		packages: []string{"internal/board/access"},
	}, {
		name:     "board",
		purpose:  "a data directory: admit, append, read, overwrite what was erased",
		packages: []string{"internal/board"},
	}, {
		name:     "readers of the board",
		purpose:  "records one by one; what is taken away; streams of events; whether a board is sound; tenants out of a board and into one; what an agent reads when it starts; what answers a question",
		packages: []string{"internal/board/audit", "internal/board/browse", "internal/board/erase", "internal/board/stream", "internal/board/transfer", "internal/coldstart", "internal/retrieval"},
	}, {
		name:     "find",
		purpose:  "records by predicates, and the neighbourhood of a record",
		packages: []string{"internal/find"},
	}, {
		name:     "sessions",
		purpose:  "what sessions did: timelines, counts, traces for the next compile",
		packages: []string{"internal/sessions"},
	}, {
		name:     "learn",
		purpose:  "what sessions did and users said, as artifacts and memories",
		packages: []string{"internal/learn"},
	}, {
		name:     "advise and review",
		purpose:  "which tool may come next, which rules and failures are known for a planned action; review of artifacts and conflicts by people",
		packages: []string{"internal/advise", "internal/review"},
	}, {
		name:     "excerpt",
		purpose:  "a record as an entry of a pack: its section, its words, its sources, its rule",
		packages: []string{"internal/excerpt"},
	}, {
		name:     "packer",
		purpose:  "candidates for a question into packs; fingerprints, and how they guide packs",
		packages: []string{"internal/packer"},
	}, {
		name:     "pack proof",
		purpose:  "what is proven of a pack, and why something is in it",
		packages: []string{"internal/packproof"},
	}, {
		name:     "engine",
		purpose:  "opens a board with everything that reads it, and forwards to it",
		packages: []string{"internal/engine"},
	}, {
		name:     "bench",
		purpose:  "what the engine's parts reach, beside what the field reaches, in one run",
		packages: []string{"internal/bench"},
	}, {
		name:     "library",
		purpose:  "the engine as a Go library",
		packages: []string{"."},
	}, {
		name:     "foreign values",
		purpose:  "texts, times and JSON as other programs write them",
		packages: []string{"internal/migrate/foreign"},
	}, {
		name:     "agents' words",
		purpose:  "what coding agents write about calls of tools, and around the words of users",
		packages: []string{"internal/migrate/prompt", "internal/migrate/toolcall"},
	}, {
		name:     "sources",
		purpose:  "files of other programs as items: reading, limits, what was left out, how a format is described",
		packages: []string{"internal/migrate/source"},
	}, {
		name:     "source suite",
		purpose:  "what every family of formats has to pass, for tests",
		packages: []string{"internal/migrate/sourcetest"},
	}, {
		name:     "families of formats",
		purpose:  "the formats of other programs; none knows another family",
		packages: []string{"internal/migrate/chats", "internal/migrate/exports", "internal/migrate/transcripts"},
	}, {
		name:     "traces",
		purpose:  "traces of OpenTelemetry, whose messages are those of chats",
		packages: []string{"internal/migrate/traces"},
	}, {
		name:     "recorder",
		purpose:  "items of sources onto a board, beside what hooks recorded",
		packages: []string{"internal/migrate/recorder"},
	}, {
		name:     "migration",
		purpose:  "the table of formats, and which one a source has; memories as files for people, and back",
		packages: []string{"internal/migrate", "internal/vault"},
	}, {
		name:     "hooks",
		purpose:  "what agents report to their hooks, and the spool that keeps it until a process opens the board",
		packages: []string{"internal/hook", "internal/spool"},
	}, {
		name:     "eval",
		purpose:  "how good the answers are, on data with known answers",
		packages: []string{"eval", "eval/nexttool"},
	}, {
		name:     "registry",
		purpose:  "what a server keeps about itself, as records",
		packages: []string{"internal/registry"},
	}, {
		name:     "admission",
		purpose:  "who calls, how much a tenant may send, how a stream gets into order before it is recorded",
		packages: []string{"internal/auth", "internal/quota", "internal/intake"},
	}, {
		name:     "answers",
		purpose:  "what is answered: as JSON, on the command line and by servers alike; as the text that a model reads",
		packages: []string{"internal/answer", "internal/lean"},
	}, {
		name:     "an operation",
		purpose:  "one request with its answer: fields, schemas, decoding, who may call",
		packages: []string{"internal/operation"},
	}, {
		name:     "the memory tool",
		purpose:  "memories as files, for the memory tool of language models",
		packages: []string{"internal/memorytool"},
	}, {
		name:     "operations",
		purpose:  "the table of what can be asked from outside",
		packages: []string{"internal/api"},
	}, {
		name:     "HTTP admission",
		purpose:  "which calls a server admits by their host, their origin and their query",
		packages: []string{"internal/transport/httpapi/admit"},
	}, {
		name:    "transports",
		purpose: "the table over HTTP and MCP; events from brokers; the other end of it",
		packages: []string{
			"client",
			"internal/ingest",
			"internal/transport/httpapi",
			"internal/transport/mcpapi",
		},
	}, {
		name:     "broker suite",
		purpose:  "what every source of events from a broker has to pass, for tests",
		packages: []string{"internal/ingest/ingesttest"},
	}, {
		name:     "brokers",
		purpose:  "one broker each",
		packages: []string{"internal/ingest/kafka", "internal/ingest/nats", "internal/ingest/redis"},
	}, {
		name:     "node",
		purpose:  "one process that serves: configuration, listeners, consumers, the way down",
		packages: []string{"internal/node"},
	}, {
		name:     "serving bench",
		purpose:  "what the server reaches, beside the library and bare handlers; how long hooks take, beside processes that do nothing; each in one run",
		packages: []string{"internal/bench/hooks", "internal/bench/serving"},
	}, {
		name:     "torture",
		purpose:  "tests with real processes that are killed, and real disks that fail",
		packages: []string{"internal/torture"},
	}, {
		name:     "agents",
		purpose:  "the settings of coding agents: where they are, and our entries in them",
		packages: []string{"internal/agents"},
	}, {
		name:     "agent bench",
		purpose:  "real coding agents against a scripted model, for tests",
		packages: []string{"internal/agents/agentstest"},
	}, {
		name:     "terminal",
		purpose:  "what the command line prints: streams, colours, tables, progress",
		packages: []string{"internal/cli/term"},
	}, {
		name:     "printers",
		purpose:  "answers for a person",
		packages: []string{"internal/cli/show"},
	}, {
		name:     "shell",
		purpose:  "what every command stands on: streams, flags, the board or the server that has it",
		packages: []string{"internal/cli/ask"},
	}, {
		name:     "project settings",
		purpose:  "what is set for a project",
		packages: []string{"internal/cli/projects"},
	}, {
		name:     "file commands",
		purpose:  "commands that read and write the caller's files",
		packages: []string{"internal/cli/files"},
	}, {
		name:    "command groups",
		purpose: "commands by what they are about; none knows another group",
		packages: []string{
			"internal/cli/access",
			"internal/cli/documents",
			"internal/cli/hooks",
			"internal/cli/knowledge",
			"internal/cli/memories",
			"internal/cli/proofs",
			"internal/cli/questions",
			"internal/cli/setup",
		},
	}, {
		name:     "commands",
		purpose:  "the command lines of lukasa and of lukasa-bench, one file a command",
		packages: []string{"internal/benchcli", "internal/cli"},
	}, {
		name:     "main",
		purpose:  "signals and an exit code",
		packages: []string{"cmd/lukasa", "cmd/lukasa-bench"},
	}}
}

// enclave is a part of the tree that imports, of our own packages, only itself
// and those allowed, and no third party outside tests.
type enclave struct {
	root    string
	allowed []string
	why     string
}

// enclaves returns the parts of the tree that must stay extractable.
func enclaves() []enclave {
	return []enclave{{
		root:    "hmx",
		allowed: []string{"internal/canon"},
		why:     "others embed the protocol without the engine",
	}}
}

// reserved is a package that only some others may import, tests included.
type reserved struct {
	dir     string
	allowed []string
	why     string
}

// reservations returns the packages that all others use through another one.
func reservations() []reserved {
	return []reserved{{
		dir:     "internal/engine",
		allowed: []string{".", "internal/bench", "internal/torture"},
		why:     "commands, operations and servers use the library",
	}}
}

// thirdParty is a dependency and where it may be imported. prefix is a module path or the
// common part of a family of modules.
type thirdParty struct {
	prefix string
	// packages may import it. Empty means tests only.
	packages []string
	why      string
}

// thirdParties returns every dependency imported by the module's own code. A
// heavy one has one package, so that it can be replaced there.
func thirdParties() []thirdParty {
	return []thirdParty{
		{"github.com/BurntSushi/toml", []string{"internal/agents", "internal/node"}, "the configuration file, and that of Codex"},
		{"github.com/coder/websocket", []string{"client", "internal/node", "internal/transport/httpapi"}, "WebSocket frames"},
		{"github.com/creack/pty", nil, "a terminal for agents that ask a person"},
		{"github.com/getkin/kin-openapi", nil, "a second opinion on the OpenAPI document and what travels by it"},
		{"github.com/google/jsonschema-go", nil, "the judge of tools' schemas that clients of the MCP library have"},
		{"github.com/klauspost/compress", []string{"client", "internal/transport/httpapi"}, "zstd"},
		{"github.com/modelcontextprotocol/go-sdk", []string{"internal/transport/mcpapi"}, "the Model Context Protocol"},
		{"github.com/nats-io/nats-server", nil, "a broker to test against"},
		{"github.com/nats-io/nats.go", []string{"internal/ingest/nats"}, "events from NATS JetStream"},
		{"github.com/prometheus/client_golang", []string{"internal/node"}, "metrics"},
		{"github.com/redis/go-redis", []string{"internal/ingest/redis"}, "events from Redis streams"},
		{"github.com/twmb/franz-go/pkg/kfake", nil, "a broker to test against"},
		{"github.com/twmb/franz-go", []string{"internal/ingest/kafka"}, "events from Kafka"},
		{"go.opentelemetry.io", []string{"internal/node"}, "traces"},
		{"go.uber.org/goleak", nil, "goroutines that are left behind"},
		{"github.com/blevesearch/bleve", nil, "the bar for search by words"},
		{"github.com/blevesearch/snowballstem", []string{"internal/text"}, "the English stemmer of Snowball"},
		{"github.com/cespare/xxhash", []string{"internal/text"}, "a quick hash of words, the same everywhere"},
		{"github.com/clipperhouse/uax29", []string{"internal/text"}, "words as Unicode defines them"},
		{"github.com/cockroachdb/pebble", []string{"internal/bench", "internal/disk", "internal/disk/disktest", "internal/kv"}, "ordered keys and values, and the file system seam that the journal shares with it"},
		{"github.com/go-json-experiment/json", nil, "the bar for speed, and a second opinion on JSON"},
		{"github.com/google/go-cmp", nil, "readable differences"},
		{"github.com/gowebpki/jcs", nil, "a second opinion on RFC 8785"},
		{"github.com/rogpeppe/go-internal", nil, "scripted command-line tests"},
		{"github.com/santhosh-tekuri/jsonschema", nil, "a second opinion on the schemas"},
		{"github.com/spf13", []string{"internal/benchcli", "internal/cli", "internal/cli/access", "internal/cli/ask", "internal/cli/documents", "internal/cli/files", "internal/cli/hooks", "internal/cli/knowledge", "internal/cli/memories", "internal/cli/projects", "internal/cli/proofs", "internal/cli/questions", "internal/cli/setup"}, "commands and flags"},
		{"github.com/tailscale/hujson", []string{"internal/agents"}, "JSON with comments and formatting as they are"},
		{"github.com/tiktoken-go/tokenizer", nil, "the vocabulary of real BPE token counts, and a second opinion on them"},
		{"github.com/transparency-dev/merkle", []string{"internal/merkle"}, "proof arithmetic and verification of RFC 6962"},
		{"mvdan.cc/sh", []string{"internal/shell"}, "the grammar of bash, for what a command line runs"},
		{"golang.org/x/text", []string{"internal/embed", "internal/text"}, "Unicode normal forms"},
		{"golang.org/x/sys", []string{"internal/embed", "internal/index/vector"}, "which instructions the processor has"},
		{"golang.org/x/mod", []string{"internal/merkle", "internal/notary"}, "signed notes of C2SP"},
		{"google.golang.org/protobuf", []string{"internal/migrate/traces", "internal/node"}, "the wire format of protobuf, without its messages"},
		{"pgregory.net/rapid", nil, "property tests"},
	}
}

// drawers returns the names of catch-all packages and files.
func drawers() []string {
	return []string{"base", "common", "helper", "helpers", "misc", "types", "util", "utils"}
}
