package migrate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
)

// TraceEncoding is how a request of OTLP/HTTP is written.
type TraceEncoding uint8

// The encodings.
const (
	TraceProtobuf TraceEncoding = iota
	TraceJSON
)

// SpanSink is a [Sink] that learns where each span begins: all items until the next one
// belong to that span.
type SpanSink interface {
	Sink
	// Span begins a span.
	Span()
}

// ReadTraces reads one request to export traces, as OTLP/HTTP sends it, unpacked. It is taken
// apart as a whole before the sink is given anything: what is no such request is an error with
// the code invalid_document, and none of it was taken. Now is the time of spans that have none.
func ReadTraces(ctx context.Context, body []byte, how TraceEncoding, now time.Time, o Options, sink SpanSink) error {
	if err := memory.CheckTenant(o.Tenant); err != nil {
		return err
	}
	read := requestProto
	if how == TraceJSON {
		read = requestJSON
	}
	spans, err := read(body)
	if err != nil {
		return fault.Newf(fault.InvalidDocument, "body: it is no ExportTraceServiceRequest: %w", err).
			WithFix("send one as OTLP/HTTP specifies, with its Content-Type")
	}
	r := &run{format: OTLP, src: Source{Modified: now}, o: o, sink: sink, calls: map[string]openCall{}, own: map[string]bool{}, said: map[string]int{}}
	for _, s := range spans {
		sink.Span()
		if err := r.genAI(ctx, place{line: 0, index: -1}, s); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// requestJSON takes a request in JSON apart.
func requestJSON(body []byte) ([]*span, error) {
	var request struct {
		ResourceSpans []otlpResource `json:"resourceSpans"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	if body = bytes.TrimLeft(body, " \t\r\n"); body[0] != '{' {
		return nil, errors.New("it is JSON, and no object")
	}
	var spans []*span
	for i := range request.ResourceSpans {
		res := &request.ResourceSpans[i]
		for k := range res.ScopeSpans {
			for j := range res.ScopeSpans[k].Spans {
				s := res.ScopeSpans[k].Spans[j].span()
				s.resource = object(res.Resource.Attributes)
				spans = append(spans, s)
			}
		}
	}
	return spans, nil
}

// requestProto takes a request in protobuf apart. One without bytes has no spans.
func requestProto(body []byte) ([]*span, error) {
	var spans []*span
	err := fields(body, func(field protowire.Number, wire protowire.Type, _ uint64, data []byte) error {
		if field != 1 {
			return nil
		}
		if wire != protowire.BytesType {
			return errProto
		}
		some, err := resourceProto(data)
		spans = append(spans, some...)
		return err
	})
	return spans, err
}

// resourceProto reads the spans of a resource.
func resourceProto(data []byte) ([]*span, error) {
	var spans []*span
	resource := object{}
	err := fields(data, func(field protowire.Number, wire protowire.Type, _ uint64, data []byte) error {
		switch {
		case wire != protowire.BytesType && (field == 1 || field == 2):
			return errProto
		case field == 1:
			return fields(data, func(field protowire.Number, _ protowire.Type, _ uint64, data []byte) error {
				if field != 1 {
					return nil
				}
				return protoAttribute(data, resource, 0)
			})
		case field == 2:
			return fields(data, func(field protowire.Number, wire protowire.Type, _ uint64, data []byte) error {
				if field != 2 {
					return nil
				}
				if wire != protowire.BytesType {
					return errProto
				}
				s, err := protoSpan(data)
				spans = append(spans, s)
				return err
			})
		}
		return nil
	})
	for _, s := range spans {
		s.resource = resource
	}
	return spans, err
}
