package traces

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// Encoding is how a request of OTLP/HTTP is written.
type Encoding uint8

// The encodings.
const (
	Protobuf Encoding = iota
	JSON
)

// Sink is a [source.Sink] that learns where each span begins: all items until the next one
// belong to that span.
type Sink interface {
	source.Sink
	// Span begins a span.
	Span()
}

// Read reads one request to export traces, as OTLP/HTTP sends it, unpacked. It is taken
// apart as a whole before the sink is given anything: what is no such request is an error with
// the code invalid_document, and none of it was taken. Now is the time of spans that have none.
func Read(ctx context.Context, body []byte, how Encoding, now time.Time, o source.Options, sink Sink) error {
	if err := memory.CheckTenant(o.Tenant); err != nil {
		return err
	}
	read := requestProto
	if how == JSON {
		read = requestJSON
	}
	spans, err := read(body)
	if err != nil {
		return fault.Newf(fault.InvalidDocument, "body: it is no ExportTraceServiceRequest: %w", err).
			WithFix("send one as OTLP/HTTP specifies, with its Content-Type")
	}
	r := &traced{Run: source.NewRun(source.Reader{Format: OTLP}, source.Source{Modified: now}, o, sink)}
	for _, s := range spans {
		sink.Span()
		if err := r.genAI(ctx, source.Place{Index: -1}, s); err != nil {
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
		spans = append(spans, request.ResourceSpans[i].spans()...)
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
	resource := foreign.Object{}
	err := fields(data, func(field protowire.Number, wire protowire.Type, _ uint64, data []byte) error {
		switch {
		case wire != protowire.BytesType && (field == 1 || field == 2):
			return errProto
		case field == 1:
			return protoResource(data, resource)
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
