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
	Listen string `toml:"listen" doc:"the address of HTTP, WebSocket and MCP"`

	TLSCert string `toml:"tls_cert" doc:"a PEM file with the certificate, which makes it HTTPS; it is read again when it changes"`
	TLSKey  string `toml:"tls_key" doc:"a PEM file with the certificate's key"`

	Hosts   []string `toml:"hosts" doc:"host names of the server, besides localhost and the address of the connection"`
	Origins []string `toml:"origins" doc:"web pages that may call it, such as https://app.example.com"`

	Token Secret `toml:"token" doc:"the operator's own token; without it, one is made on the first start and kept in the file TOKEN of the data directory"`
	Tools string `toml:"tools" doc:"the set of MCP tools: default, hooked or all"`

	Metrics string `toml:"metrics" doc:"the address of Prometheus metrics, served without a credential; empty for none"`
	Pprof   string `toml:"pprof" doc:"the address of profiles of the process (pprof), served without a credential; empty for none"`
	Traces  string `toml:"traces" doc:"the OpenTelemetry collector for traces (OTLP over HTTP), such as http://localhost:4318; empty for none"`

	LogLevel  string `toml:"log_level" doc:"how much is logged: debug, info, warn or error"`
	LogFormat string `toml:"log_format" doc:"the format of logs: text, json, or auto, which is text on a terminal"`

	Memory Size `toml:"memory" doc:"how much memory the process may use, such as 512MiB; 0 is half of the machine's, from 512MiB to 4GiB"`

	CompileEvents int      `toml:"compile_events" doc:"compile a tenant after this number of new events; 0 turns it off"`
	CompileQuiet  Duration `toml:"compile_quiet" doc:"compile a tenant after this time without new events; 0 turns it off"`

	KeepSecrets bool `toml:"keep_secrets" doc:"record keys and passwords in incoming text as they are, instead of scrubbing them"`

	ReorderWindow Duration `toml:"reorder_window" doc:"how long an event of a stream waits for earlier events of its session"`
	Grace         Duration `toml:"grace" doc:"how long calls may continue after a stop signal"`

	MaxBody    Size `toml:"max_body" doc:"the maximum size of the body of a call; a stream of event lines may have any length"`
	MaxCalls   int  `toml:"max_calls" doc:"the maximum number of concurrent calls; a tenant may use half of what the others leave"`
	MaxStreams int  `toml:"max_streams" doc:"the maximum number of open streams; a tenant may use half of what the others leave"`

	RequestsPerSecond float64 `toml:"requests_per_second" doc:"how many calls per second a tenant may make; negative means no limit, 0 the default; a tenant may have its own limits"`
	EventsPerSecond   float64 `toml:"events_per_second" doc:"how many events per second a tenant may send"`
	BytesPerSecond    float64 `toml:"bytes_per_second" doc:"how many bytes of events per second a tenant may send"`
	MaxRecords        int64   `toml:"max_records" doc:"how many records a tenant may have"`
	MaxBytes          int64   `toml:"max_bytes" doc:"how many bytes of records a tenant may have"`

	Brokers []Broker `toml:"broker" doc:"brokers to read events from"`
}

// Broker is one source of events. Its settings depend on its kind.
type Broker struct {
	Kind   string   `toml:"kind" doc:"nats, kafka or redis"`
	Name   string   `toml:"name" doc:"its name in logs and metrics; default the kind"`
	URLs   []Secret `toml:"urls" doc:"its addresses: nats://…, host:port of Kafka, redis://…; hidden in output, since they may have a password"`
	Tenant string   `toml:"tenant" doc:"the only tenant whose events are accepted; empty accepts the tenant that each event names"`
	Trust  string   `toml:"trust" doc:"the highest trust of its events: operator, user, agent, tool or external"`

	Stream   string   `toml:"stream" doc:"NATS and Redis: the stream"`
	Subjects []string `toml:"subjects" doc:"NATS: these subjects of the stream only"`
	Topics   []string `toml:"topics" doc:"Kafka: the topics"`
	Field    string   `toml:"field" doc:"Redis: the field that has the event"`
	Group    string   `toml:"group" doc:"the durable consumer or consumer group, for which the broker stores the progress; default lukasa"`
	Member   string   `toml:"member" doc:"Redis: the name of this process in the group; default the host name"`
	Dead     string   `toml:"dead" doc:"where dead letters go: a subject, topic or stream; default made from the name of the stream"`

	User      string `toml:"user" doc:"Kafka: the SASL user"`
	Password  Secret `toml:"password" doc:"Kafka: the SASL password"`
	Mechanism string `toml:"mechanism" doc:"Kafka: plain, scram-sha-256 or scram-sha-512"`
	TLS       bool   `toml:"tls" doc:"Kafka: use TLS"`
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
