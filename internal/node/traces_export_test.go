package node

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// OpenTelemetry's own messages decode what is sent, without unknown fields, and a busy
// collector gets a retry.
func TestExporter(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	got := make(chan *collector.ExportTraceServiceRequest, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		body, err := io.ReadAll(r.Body)
		request := &collector.ExportTraceServiceRequest{}
		if err == nil {
			err = proto.Unmarshal(body, request)
		}
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" || r.Header.Get("Authorization") != "Bearer a,b" {
			t.Errorf("%v: %s %v", err, r.URL, r.Header)
		}
		got <- request
	}))
	defer server.Close()
	env := func(name string) string {
		return map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20a%2Cb, x-other=1"}[name]
	}
	e, err := newExporter(server.URL+"/", env)
	if err != nil {
		t.Fatal(err)
	}
	recorded := &kept{}
	p := sdktrace.NewTracerProvider(sdktrace.WithSyncer(recorded), sdktrace.WithResource(resource.NewSchemaless(attribute.String("service.name", "lukasa"))))
	ctx, parent := p.Tracer("lukasa.dev").Start(t.Context(), "POST /v1/pack", trace.WithSpanKind(trace.SpanKindServer))
	_, child := p.Tracer("lukasa.dev").Start(ctx, "child", trace.WithAttributes(attribute.String("http.request.method", "POST")))
	child.SetStatus(codes.Error, "no")
	child.End()
	parent.End()
	if err := e.ExportSpans(t.Context(), recorded.spans); err != nil {
		t.Fatal(err)
	}
	request := <-got
	if n := len(request.ProtoReflect().GetUnknown()); n > 0 || len(request.ResourceSpans) != 1 || len(request.ResourceSpans[0].ScopeSpans) != 1 {
		t.Fatalf("%d unknown bytes: %v", n, request)
	}
	r := request.ResourceSpans[0]
	if a := r.Resource.Attributes; len(a) != 1 || a[0].Key != "service.name" || a[0].Value.GetStringValue() != "lukasa" || r.ScopeSpans[0].Scope.Name != "lukasa.dev" {
		t.Errorf("%v", r)
	}
	spans := r.ScopeSpans[0].Spans
	if len(spans) != 2 {
		t.Fatalf("%v", spans)
	}
	c, s := spans[0], spans[1]
	if c.Name != "child" || string(c.ParentSpanId) != string(s.SpanId) || string(c.TraceId) != string(s.TraceId) || len(c.TraceId) != 16 || len(c.SpanId) != 8 || len(s.ParentSpanId) != 0 {
		t.Errorf("%v %v", c, s)
	}
	if c.Status.GetCode() != otlp.Status_STATUS_CODE_ERROR || c.Status.Message != "no" || s.Status != nil || s.Kind != otlp.Span_SPAN_KIND_SERVER || c.Kind != otlp.Span_SPAN_KIND_INTERNAL {
		t.Errorf("%v %v", c, s)
	}
	if s.StartTimeUnixNano != uint64(recorded.spans[1].StartTime().UnixNano()) || s.EndTimeUnixNano != uint64(recorded.spans[1].EndTime().UnixNano()) || s.Flags&1 != 1 {
		t.Errorf("%v", s)
	}
	if len(c.Attributes) != 1 || c.Attributes[0].Value.GetStringValue() != "POST" {
		t.Errorf("%v", c.Attributes)
	}
	if err := e.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// What a collector refuses permanently is not sent again, and an invalid address is refused.
func TestExporterIsRefused(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	none := func(string) string { return "" }
	e, err := newExporter(server.URL, none)
	if err != nil {
		t.Fatal(err)
	}
	recorded := &kept{}
	_, span := sdktrace.NewTracerProvider(sdktrace.WithSyncer(recorded)).Tracer("t").Start(t.Context(), "x")
	span.End()
	if err := e.ExportSpans(t.Context(), recorded.spans); err == nil || !strings.Contains(err.Error(), "401") || calls.Load() != 1 {
		t.Errorf("after %d calls: %v", calls.Load(), err)
	}
	for _, wrong := range []string{"localhost:4318", "ftp://localhost", "http://", ":"} {
		if _, err := newExporter(wrong, none); err == nil {
			t.Errorf("%q is an address", wrong)
		}
	}
	if _, err := newExporter(server.URL, func(string) string { return "nothing" }); err == nil {
		t.Error("headers without values are taken")
	}
}
