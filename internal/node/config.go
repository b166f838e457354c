package node

import (
	"time"
)

// Config is the configuration. The doc tag of each field describes it, and the help, `lukasa
// serve --print-config` and docs/operations.md show it. Values come from a file (TOML, by the
// toml name), from the environment (LUKASA_ and the name in capitals) and from flags (the name
// with hyphens). A flag overrides a variable, a variable overrides the file, and the file
// overrides the default.
type Config struct {
	Data   string `toml:"data" doc:"the data directory; LUKASA_DATA means the same to every command"`
	Listen string `toml:"listen" doc:"the address that HTTP, WebSocket and MCP are served at"`

	TLSCert string `toml:"tls_cert" doc:"a PEM file with the certificate, which makes it HTTPS; it is read anew when it changes"`
	TLSKey  string `toml:"tls_key" doc:"a PEM file with the certificate's key"`

	Hosts   []string `toml:"hosts" doc:"names that the server is called by, besides localhost and the address that a connection comes to"`
	Origins []string `toml:"origins" doc:"web pages that may call it, such as https://app.example.com"`

	Token Secret `toml:"token" doc:"the operator's own token; without it, one is made on the first start and kept in the file TOKEN of the data directory"`
	Tools string `toml:"tools" doc:"which tools agents are offered over MCP: default, hooked or all"`

	Metrics string `toml:"metrics" doc:"an address that Prometheus metrics are served at, without a credential; none if it is empty"`
	Pprof   string `toml:"pprof" doc:"an address that profiles of the process are served at, without a credential; none if it is empty"`
	Traces  string `toml:"traces" doc:"an OpenTelemetry collector that traces are sent to (OTLP over HTTP), such as http://localhost:4318; none if it is empty"`

	LogLevel  string `toml:"log_level" doc:"how much is logged: debug, info, warn or error"`
	LogFormat string `toml:"log_format" doc:"how it is logged: text, json, or auto, which is text on a terminal"`

	Memory Size `toml:"memory" doc:"how much memory the process may take, such as 512MiB; 0 is half of the machine's, from 512MiB to 4GiB"`

	CompileEvents int      `toml:"compile_events" doc:"compile a tenant after so many new events; 0 does not count them"`
	CompileQuiet  Duration `toml:"compile_quiet" doc:"compile a tenant after so long without new events; 0 does not wait for that"`

	KeepSecrets bool `toml:"keep_secrets" doc:"record keys and passwords in incoming text as they are, instead of scrubbing them"`

	ReorderWindow Duration `toml:"reorder_window" doc:"how long an event of a stream waits for those before it in its session"`
	Grace         Duration `toml:"grace" doc:"how long calls may go on after the server was told to stop"`

	MaxBody    Size `toml:"max_body" doc:"how large the body of a call may be; lines of events may be of any number"`
	MaxCalls   int  `toml:"max_calls" doc:"how many calls run at the same time; a tenant may have half of what the others leave"`
	MaxStreams int  `toml:"max_streams" doc:"how many streams are open at the same time; a tenant may have half of what the others leave"`

	RequestsPerSecond float64 `toml:"requests_per_second" doc:"how many calls a tenant may make; negative is no limit, 0 the default; a tenant may have limits of its own"`
	EventsPerSecond   float64 `toml:"events_per_second" doc:"how many events a tenant may send"`
	BytesPerSecond    float64 `toml:"bytes_per_second" doc:"how many bytes of events a tenant may send"`
	MaxRecords        int64   `toml:"max_records" doc:"how many records a tenant may have"`
	MaxBytes          int64   `toml:"max_bytes" doc:"how many bytes of records a tenant may have"`

	Brokers []Broker `toml:"broker" doc:"brokers that events are taken from"`
}

// Broker is one source of events. Its settings depend on its kind.
type Broker struct {
	Kind   string   `toml:"kind" doc:"nats, kafka or redis"`
	Name   string   `toml:"name" doc:"what it is called in logs and metrics; the kind if it is empty"`
	URLs   []Secret `toml:"urls" doc:"where it is: nats://…, host:port of Kafka, redis://…; hidden when shown, since it may have a password in it"`
	Tenant string   `toml:"tenant" doc:"the only tenant whose events are taken; empty takes the tenant that each event names"`
	Trust  string   `toml:"trust" doc:"the most that its events are trusted: operator, user, agent, tool or external"`

	Stream   string   `toml:"stream" doc:"NATS and Redis: the stream"`
	Subjects []string `toml:"subjects" doc:"NATS: these subjects of the stream only"`
	Topics   []string `toml:"topics" doc:"Kafka: the topics"`
	Field    string   `toml:"field" doc:"Redis: the field that has the event"`
	Group    string   `toml:"group" doc:"the durable consumer or consumer group, by which the broker knows how far it is; lukasa if it is empty"`
	Member   string   `toml:"member" doc:"Redis: the name of this process in the group; that of the machine if it is empty"`
	Dead     string   `toml:"dead" doc:"where dead letters go: a subject, topic or stream; made of the stream's name if it is empty"`

	User      string `toml:"user" doc:"Kafka: the SASL user"`
	Password  Secret `toml:"password" doc:"Kafka: the SASL password"`
	Mechanism string `toml:"mechanism" doc:"Kafka: plain, scram-sha-256 or scram-sha-512"`
	TLS       bool   `toml:"tls" doc:"Kafka: talk over TLS"`
}

// Defaults returns the default configuration. Data is empty: the caller knows the home
// directory.
func Defaults() Config {
	return Config{
		Listen:        "127.0.0.1:8373",
		Tools:         "default",
		LogLevel:      "info",
		LogFormat:     "auto",
		CompileEvents: 200,
		CompileQuiet:  Duration(time.Minute),
		ReorderWindow: Duration(5 * time.Second),
		Grace:         Duration(20 * time.Second),
		MaxBody:       8 << 20,
		MaxCalls:      256,
		MaxStreams:    2048,
	}
}
