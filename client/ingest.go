package client

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"lukasa.dev/hmx"
)

// Append records events. Good ones are recorded even when others are refused; the
// answer says which. An event that is there already is a duplicate, so that sending it
// again does no harm.
func (c *Client) Append(ctx context.Context, events ...*hmx.Event) (*Intake, error) {
	if len(events) == 0 {
		return &Intake{}, nil
	}
	body := []byte{'['}
	for i, ev := range events {
		if i > 0 {
			body = append(body, ',')
		}
		var err error
		if body, err = ev.AppendJSON(body); err != nil {
			return nil, fmt.Errorf("client: event %d: %w", i, err)
		}
	}
	text, err := c.exchange(ctx, &Call{Method: http.MethodPost, Path: "/v1/events", Again: true}, append(body, ']'), "application/json")
	if err != nil {
		return nil, err
	}
	return intakeOf(text)
}

// Traces records the spans about generative AI of a request to export traces, as OTLP/HTTP has
// it in JSON. Exporters of OpenTelemetry send theirs by themselves, if their endpoint is the
// server's /v1/otlp. What is recorded already is known, so that sending it again does no harm.
func (c *Client) Traces(ctx context.Context, request json.RawMessage) (*Traced, error) {
	text, err := c.exchange(ctx, &Call{Method: http.MethodPost, Path: "/v1/otlp/v1/traces", Again: true}, request, "application/json")
	if err != nil {
		return nil, err
	}
	var out struct {
		PartialSuccess struct {
			RejectedSpans int64 `json:"rejectedSpans,string"`
			ErrorMessage  string
		}
	}
	if err := decode(text, &out); err != nil {
		return nil, err
	}
	return &Traced{out.PartialSuccess.RejectedSpans, out.PartialSuccess.ErrorMessage}, nil
}

// intakeOf reads what became of events.
func intakeOf(text []byte) (*Intake, error) {
	in := &Intake{}
	if err := decode(text, in); err != nil {
		return nil, err
	}
	return in, nil
}

// Ingest records a stream of events, one a line, of any length. A bad line costs no good
// one. It is sent once: whoever wants to try again sends the stream from its beginning,
// and what was recorded is a duplicate then.
func (c *Client) Ingest(ctx context.Context, lines io.Reader) (*Intake, error) {
	body := io.ReadCloser(io.NopCloser(lines))
	packed := c.o.Compress > 0
	if packed {
		body = compressed(lines)
	}
	defer func() { _ = body.Close() }() // ends the compressing
	req, err := c.request(ctx, &Call{Method: http.MethodPost, Path: "/v1/events"}, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	if packed {
		req.Header.Set("Content-Encoding", "gzip")
	}
	res, err := c.o.HTTP.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &lost{err}
	}
	defer func() { _ = res.Body.Close() }() // it was read to its end
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, &lost{err}
	}
	if res.StatusCode >= 300 {
		// How far it came is told with the problem.
		in := &Intake{}
		if json.Unmarshal(text, in) != nil {
			in = nil
		}
		return in, problemOf(res, text)
	}
	return intakeOf(text)
}

// compressed is a stream while it is compressed.
func compressed(src io.Reader) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // a level that there is
		_, err := io.Copy(z, src)
		if closed := z.Close(); err == nil {
			err = closed
		}
		_ = w.CloseWithError(err) // it never fails
	}()
	return r
}
