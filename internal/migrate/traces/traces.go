// Package traces reads traces of OpenTelemetry, and takes the spans that follow the semantic
// conventions for generative AI: from files in JSON and protobuf, and from requests of OTLP/HTTP.
//
// JSON and protobuf of the same spans give the same events. Spans of a conversation repeat its
// earlier messages, which are taken once. A request is read as a whole before any of it is taken.
package traces

import (
	"context"

	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// OTLP is the format of traces of OpenTelemetry.
const OTLP foreign.Format = "otlp"

// Readers returns how traces are read.
func Readers() []source.Reader {
	return []source.Reader{{
		Format: OTLP, What: "traces of OpenTelemetry", Binary: protobuf,
		Level: func(v source.Shape) source.Level {
			return source.Grade(v.Any("resourceSpans", "resource_spans"), v.Any("resourceLogs", "resourceMetrics"), false)
		},
		Wants: func(name, ext string) bool {
			return ext == ".pb" || ext == ".bin" || ext == ".binpb" || source.WantsJSON(name, ext)
		},
		Read: func(ctx context.Context, r *source.Run) error { return (&traced{Run: r}).otlp(ctx) },
	}}
}

// traced is a source of traces being read.
type traced struct {
	*source.Run
	// resource is the resource of the spans that are being read.
	resource foreign.Object
}
