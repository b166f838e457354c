package traces

import (
	"context"
	"encoding/json"
	"strconv"

	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// otlpResource is the spans of one resource, as OTLP writes them in JSON.
type otlpResource struct {
	Resource struct {
		Attributes otlpValues `json:"attributes"`
	} `json:"resource"`
	ScopeSpans []struct {
		Spans []otlpSpan `json:"spans"`
	} `json:"scopeSpans"`
}

// otlpSpan is a span in JSON.
type otlpSpan struct {
	TraceID    foreign.Text `json:"traceId"`
	SpanID     foreign.Text `json:"spanId"`
	Name       foreign.Text `json:"name"`
	Start      foreign.Text `json:"startTimeUnixNano"`
	End        foreign.Text `json:"endTimeUnixNano"`
	Attributes otlpValues   `json:"attributes"`
	Events     []struct {
		Name       foreign.Text `json:"name"`
		Attributes otlpValues   `json:"attributes"`
	} `json:"events"`
	Status struct {
		Code    foreign.Text `json:"code"`
		Message foreign.Text `json:"message"`
	} `json:"status"`
}

// otlpJSON makes the events of the spans of a resource.
func (r *traced) otlpJSON(ctx context.Context, p source.Piece) error {
	var res otlpResource
	if !r.Decode(p, &res) {
		return nil
	}
	for _, s := range res.spans() {
		if err := r.genAI(ctx, p.Place, s); err != nil {
			return err
		}
	}
	return nil
}

// spans returns the spans of a resource.
func (res *otlpResource) spans() []*span {
	var spans []*span
	for i := range res.ScopeSpans {
		for k := range res.ScopeSpans[i].Spans {
			s := res.ScopeSpans[i].Spans[k].span()
			s.resource = foreign.Object(res.Resource.Attributes)
			spans = append(spans, s)
		}
	}
	return spans
}

func (o *otlpSpan) span() *span {
	s := &span{
		trace: string(o.TraceID), id: string(o.SpanID), name: string(o.Name),
		start: nanos(o.Start), end: nanos(o.End), attrs: foreign.Object(o.Attributes),
		failed: o.Status.Code == "2" || o.Status.Code == "STATUS_CODE_ERROR", status: string(o.Status.Message),
	}
	for i := range o.Events {
		e := &o.Events[i]
		s.events = append(s.events, spanEvent{string(e.Name), foreign.Object(e.Attributes)})
	}
	return s
}

// nanos reads a time, which is never beyond what a sequence can say.
func nanos(s foreign.Text) uint64 {
	n, err := strconv.ParseUint(string(s), 10, 62)
	if err != nil {
		return 0
	}
	return n
}

// otlpValues are attributes: names with values that say what they are.
type otlpValues map[string]any

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (v *otlpValues) UnmarshalJSON(data []byte) error {
	*v = otlpValues{}
	all, _ := foreign.Value(data).([]any)
	for _, one := range all {
		kv, _ := one.(map[string]any)
		if key, ok := kv["key"].(string); ok {
			(*v)[key] = otlpValue(kv["value"], 0)
		}
	}
	return nil
}

// otlpValue returns what a value says.
func otlpValue(v any, depth int) any {
	m, ok := v.(map[string]any)
	if !ok || depth > foreign.MaxNesting {
		return nil
	}
	for _, name := range []string{"stringValue", "boolValue", "doubleValue", "bytesValue"} {
		if value, ok := m[name]; ok {
			return value
		}
	}
	if value, ok := m["intValue"]; ok {
		if s, ok := value.(string); ok {
			return json.Number(s)
		}
		return value
	}
	if a, ok := m["arrayValue"].(map[string]any); ok {
		values, _ := a["values"].([]any)
		out := make([]any, 0, len(values))
		for _, one := range values {
			out = append(out, otlpValue(one, depth+1))
		}
		return out
	}
	if l, ok := m["kvlistValue"].(map[string]any); ok {
		values, _ := l["values"].([]any)
		out := make(map[string]any, len(values))
		for _, one := range values {
			kv, _ := one.(map[string]any)
			if key, ok := kv["key"].(string); ok {
				out[key] = otlpValue(kv["value"], depth+1)
			}
		}
		return out
	}
	return nil
}
