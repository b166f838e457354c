package node

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/protobuf/encoding/protowire"
)

// exporter sends spans to a collector as OTLP over HTTP, in protobuf. It encodes only what this
// server produces: the exporter of OpenTelemetry would add gRPC and all messages of OTLP to the
// binary.
type exporter struct {
	url    string
	header http.Header
	client *http.Client
}

// headerVariables are the standard variables of OTLP exporters, the more specific first.
var headerVariables = []string{"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"}

// exportTime is the timeout of one request to a collector, and exportAttempts how many are sent
// before the spans are dropped.
const (
	exportTime     = 10 * time.Second
	exportAttempts = 4
)

// newExporter returns an exporter to a collector. It sends nothing yet.
func newExporter(endpoint string, env func(string) string) (*exporter, error) {
	at, err := url.Parse(endpoint)
	if err == nil && (at.Scheme != "http" && at.Scheme != "https" || at.Host == "") {
		err = fmt.Errorf("%q is no address over HTTP", endpoint)
	}
	if err != nil {
		return nil, err
	}
	e := &exporter{url: at.JoinPath("v1", "traces").String(), header: http.Header{"Content-Type": {"application/x-protobuf"}, "User-Agent": {"lukasa"}}, client: &http.Client{Timeout: exportTime}}
	for _, name := range headerVariables {
		if list := env(name); list != "" {
			for pair := range strings.SplitSeq(list, ",") {
				key, value, ok := strings.Cut(pair, "=")
				value, err := url.PathUnescape(strings.TrimSpace(value))
				if !ok || err != nil || strings.TrimSpace(key) == "" {
					return nil, fmt.Errorf("%s cannot be read; write it as name=value,name=value", name)
				}
				e.header.Set(strings.TrimSpace(key), value)
			}
			break
		}
	}
	return e, nil
}

// ExportSpans implements sdktrace.SpanExporter. It retries a few times if a collector is busy
// or unavailable.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	body := traceRequest(spans)
	wait := time.Second
	for attempt := 1; ; attempt++ {
		again, err := e.send(ctx, body)
		if err == nil || !again || attempt == exportAttempts {
			return err
		}
		select {
		case <-time.After(wait):
			wait *= 2
		case <-ctx.Done():
			return err
		}
	}
}

// send sends a request once. again says that a retry may succeed.
func (e *exporter) send(ctx context.Context, body []byte) (again bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	r.Header = e.header.Clone()
	answer, err := e.client.Do(r)
	if err != nil {
		return true, err
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20))
	switch status := answer.StatusCode; status {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return false, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true, fmt.Errorf("the collector answers %s", answer.Status)
	default:
		return false, fmt.Errorf("the collector answers %s", answer.Status)
	}
}

// Shutdown implements sdktrace.SpanExporter.
func (e *exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}

// traceRequest is an ExportTraceServiceRequest with spans, which all have the resource and the
// instrumentation of the first.
func traceRequest(spans []sdktrace.ReadOnlySpan) []byte {
	scope := spans[0].InstrumentationScope()
	list := message(nil, 1, text(text(nil, 1, scope.Name), 2, scope.Version))
	for _, s := range spans {
		list = message(list, 2, encodeSpan(s))
	}
	resource := message(nil, 1, attributes(nil, 1, spans[0].Resource().Attributes()))
	return message(nil, 1, message(resource, 2, list))
}

// encodeSpan is a Span of OTLP.
func encodeSpan(s sdktrace.ReadOnlySpan) []byte {
	own, parent := s.SpanContext(), s.Parent()
	trace, id := own.TraceID(), own.SpanID()
	b := message(message(nil, 1, trace[:]), 2, id[:])
	b = text(b, 3, own.TraceState().String())
	if parent.SpanID().IsValid() {
		above := parent.SpanID()
		b = message(b, 4, above[:])
	}
	b = text(b, 5, s.Name())
	b = varint(b, 6, uint64(s.SpanKind())) // the same numbers as in OTLP
	b = fixed64(b, 7, uint64(s.StartTime().UnixNano()))
	b = fixed64(b, 8, uint64(s.EndTime().UnixNano()))
	b = attributes(b, 9, s.Attributes())
	if status := s.Status(); status.Code != codes.Unset {
		code := uint64(1)
		if status.Code == codes.Error {
			code = 2
		}
		b = message(b, 15, varint(text(nil, 2, status.Description), 3, code))
	}
	return fixed32(b, 16, uint32(own.TraceFlags()))
}

// attributes appends attributes. Those of this server are strings; others are converted to
// strings.
func attributes(b []byte, field protowire.Number, list []attribute.KeyValue) []byte {
	for _, a := range list {
		b = message(b, field, message(text(nil, 1, string(a.Key)), 2, message(nil, 1, []byte(a.Value.String()))))
	}
	return b
}

// message appends a bytes field, which may be empty.
func message(b []byte, field protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), body)
}

// text appends a string field unless it is empty.
func text(b []byte, field protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), strings.ToValidUTF8(s, "\uFFFD"))
}

func varint(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func fixed64(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), v)
}

func fixed32(b []byte, field protowire.Number, v uint32) []byte {
	return protowire.AppendFixed32(protowire.AppendTag(b, field, protowire.Fixed32Type), v)
}
