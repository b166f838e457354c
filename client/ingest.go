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

// Append records events. Valid ones are recorded even if others are refused; the answer says
// which. An event that is already recorded is a duplicate, so sending it again is safe.
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

// Traces records the generative AI spans of a request to export traces, as OTLP/HTTP in JSON.
// Exporters of OpenTelemetry send theirs by themselves if their endpoint is the server's
// /v1/otlp. Recorded spans are recognised, so sending them again is safe.
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

// intakeOf decodes the result for events.
func intakeOf(text []byte) (*Intake, error) {
	in := &Intake{}
	if err := decode(text, in); err != nil {
		return nil, err
	}
	return in, nil
}

// Ingest records a stream of events, one a line, of any length. A bad line does not affect good
// ones. It is sent once: to retry, send the stream again from its beginning; recorded events
// are duplicates then.
func (c *Client) Ingest(ctx context.Context, lines io.Reader) (*Intake, error) {
	body := io.ReadCloser(io.NopCloser(lines))
	packed := c.o.Compress > 0
	if packed {
		body = compressed(lines)
	}
	defer func() { _ = body.Close() }() // ends the compression
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
		// The problem includes the progress.
		in := &Intake{}
		if json.Unmarshal(text, in) != nil {
			in = nil
		}
		return in, problemOf(res, text)
	}
	return intakeOf(text)
}

// compressed compresses a stream.
func compressed(src io.Reader) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // a valid level
		_, err := io.Copy(z, src)
		if closed := z.Close(); err == nil {
			err = closed
		}
		_ = w.CloseWithError(err) // never fails
	}()
	return r
}
