package node

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"lukasa.dev/client"
)

// A program that uses OpenTelemetry, configured by its environment alone, has its work
// recorded: messages, tool calls and failures. Sending it again adds nothing.
func TestRealExporter(t *testing.T) {
	n := start(t, small(t), Options{})
	token, err := os.ReadFile(n.TokenFile())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", n.URL()+"/v1/otlp")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization="+url.PathEscape("Bearer "+strings.TrimSpace(string(token)))+",x-lukasa-tenant=acme")
	for _, compression := range []string{"none", "gzip"} {
		t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", compression)
		exporter, err := otlptracehttp.New(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		recorded := &kept{}
		provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(recorded), sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "shop"))))
		converse(t, provider, compression)
		for range 2 { // as an exporter does that missed the first answer
			if err := exporter.ExportSpans(t.Context(), recorded.spans); err != nil {
				t.Fatal(err)
			}
		}
		if err := exporter.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		events, err := caller(t, n, "acme").Events(t.Context(), &client.EventsRequest{Session: "talk-" + compression})
		if err != nil {
			t.Fatal(err)
		}
		var types []string
		for _, e := range events.Events {
			text := string(e.Event)
			_, rest, _ := strings.Cut(text, `"event_type":"`)
			kind, _, _ := strings.Cut(rest, `"`)
			types = append(types, kind)
			if !strings.Contains(text, `"agent_id":"clerk"`) {
				t.Errorf("%s: whose is it: %s", compression, text)
			}
		}
		if got := strings.Join(types, " "); got != "message message tool_call tool_result error" {
			t.Errorf("%s: %s: %v", compression, got, events.Events)
		}
	}
}

// converse makes the spans of a conversation: a question and its answer, a tool, a failure.
func converse(t *testing.T, provider *sdktrace.TracerProvider, name string) {
	tracer := provider.Tracer("test")
	who := []attribute.KeyValue{attribute.String("gen_ai.conversation.id", "talk-"+name), attribute.String("gen_ai.agent.name", "clerk")}
	ctx, chat := tracer.Start(t.Context(), "chat model")
	chat.SetAttributes(append(who,
		attribute.String("gen_ai.operation.name", "chat"), attribute.String("gen_ai.request.model", "model"),
		attribute.String("gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"Where is order 7?"}]}]`),
		attribute.String("gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"I look it up."}]}]`))...)
	chat.End()
	_, tool := tracer.Start(ctx, "execute_tool find_order")
	tool.SetAttributes(append(who,
		attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", "find_order"), attribute.String("gen_ai.tool.call.id", "call-"+name),
		attribute.String("gen_ai.tool.call.arguments", `{"order":7}`), attribute.String("gen_ai.tool.call.result", `{"state":"shipped"}`))...)
	tool.End()
	_, failed := tracer.Start(ctx, "chat model")
	failed.SetAttributes(append(who, attribute.String("gen_ai.operation.name", "chat"))...)
	failed.SetStatus(codes.Error, "the model is overloaded")
	failed.End()
	_, other := tracer.Start(ctx, "SELECT orders")
	other.SetAttributes(attribute.String("db.system.name", "postgresql"))
	other.End()
}

// A node with a limit refuses an exporter in a form that it understands.
func TestRealExporterIsRefused(t *testing.T) {
	t.Parallel()
	n := start(t, small(t), Options{})
	exporter, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL(n.URL()+"/v1/otlp/v1/traces"), otlptracehttp.WithHeaders(map[string]string{"authorization": "Bearer nobody"}))
	if err != nil {
		t.Fatal(err)
	}
	recorded := &kept{}
	converse(t, sdktrace.NewTracerProvider(sdktrace.WithSyncer(recorded)), "x")
	err = exporter.ExportSpans(t.Context(), recorded.spans)
	if err == nil || !strings.Contains(err.Error(), http.StatusText(http.StatusUnauthorized)) {
		t.Errorf("a stranger is told %v", err)
	}
	if err := exporter.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// kept is an exporter that keeps spans.
type kept struct{ spans []sdktrace.ReadOnlySpan }

// ExportSpans implements sdktrace.SpanExporter.
func (k *kept) ExportSpans(_ context.Context, spans []sdktrace.ReadOnlySpan) error {
	k.spans = append(k.spans, spans...)
	return nil
}

// Shutdown implements sdktrace.SpanExporter.
func (k *kept) Shutdown(context.Context) error { return nil }

// The client supports both: sending spans, and the files of the memory tool.
func TestClientTracesAndMemoryTool(t *testing.T) {
	t.Parallel()
	n := start(t, small(t), Options{})
	c := caller(t, n, "acme")
	spans := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0a","spanId":"0b","name":"chat","startTimeUnixNano":"1762768800000000000","attributes":[` +
		`{"key":"gen_ai.conversation.id","value":{"stringValue":"t"}},{"key":"gen_ai.prompt","value":{"stringValue":"Hello."}}]}]}]}]}`
	for range 2 {
		if got, err := c.Traces(t.Context(), json.RawMessage(spans)); err != nil || *got != (client.Traced{}) {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	events, err := c.Events(t.Context(), &client.EventsRequest{Session: "t"})
	if err != nil || len(events.Events) != 1 {
		t.Fatalf("%+v, %v", events, err)
	}
	var p *client.Problem
	if _, err := c.Traces(t.Context(), json.RawMessage(`[]`)); !errors.As(err, &p) || p.Code != "invalid_document" || p.Status != http.StatusBadRequest || p.Detail == "" {
		t.Errorf("%+v", err)
	}
	for _, x := range []struct {
		input, want string
		bad         bool
	}{
		{`{"command":"create","path":"/memories/a.md","file_text":"One."}`, "File created successfully at: /memories/a.md", false},
		{`{"command":"create","path":"/memories/a.md","file_text":"One."}`, "Error: File /memories/a.md already exists", true},
	} {
		got, err := c.MemoryTool(t.Context(), json.RawMessage(x.input))
		if err != nil || got.Content != x.want || got.IsError != x.bad {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if _, err := c.MemoryTool(t.Context(), json.RawMessage(`{"command":"undo"}`)); !errors.As(err, &p) || p.Code != "invalid_argument" {
		t.Errorf("%+v", err)
	}
}
