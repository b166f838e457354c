package node

import (
	"context"
	"net/http"
	"os"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"lukasa.dev/internal/api"
	"lukasa.dev/internal/fault"
)

// tracing sends a span for each call to a collector.
type tracing struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	context  propagation.TraceContext
}

// startTracing connects to a collector lazily: a missing one costs nothing but the spans.
func startTracing(endpoint, version string) (*tracing, error) {
	exporter, err := newExporter(endpoint, os.Getenv)
	if err != nil {
		return nil, fault.Newf(fault.BadConfig, "traces: %w", err).WithFix("give an address such as http://localhost:4318")
	}
	p := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.AlwaysSample())),
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "lukasa"), attribute.String("service.version", version))),
	)
	return &tracing{provider: p, tracer: p.Tracer("lukasa.dev")}, nil
}

// around adds a span to each call that next serves. Its name is the route, never the path from
// the client.
func (t *tracing) around(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	for _, op := range api.Operations() {
		mux.Handle(op.Method+" "+op.Path, next)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := t.context.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		name := r.Method
		if _, pattern := mux.Handler(r); pattern != "" {
			name = pattern
		}
		ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer),
			trace.WithAttributes(attribute.String("http.request.method", r.Method)))
		defer span.End()
		next.ServeHTTP(w, r.WithContext(ctx))
		if id := w.Header().Get("X-Request-Id"); id != "" {
			span.SetAttributes(attribute.String("lukasa.request_id", id))
		}
	})
}

// close sends the remaining spans.
func (t *tracing) close(ctx context.Context) error { return t.provider.Shutdown(ctx) }
