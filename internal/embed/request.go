package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// question is the body of a request.
type question struct {
	Model          string   `json:"model"`
	Input          []string `json:"input"`
	EncodingFormat string   `json:"encoding_format"`
	Dimensions     int      `json:"dimensions,omitempty"`
}

// ask sends one request and takes the answer into the results.
func (r *Remote) ask(ctx context.Context, b batch) *trouble {
	q := question{Model: r.options.Model, Input: b.texts, EncodingFormat: "float"}
	if r.options.Shorten {
		q.Dimensions = r.options.Dimensions
	}
	body, err := json.Marshal(q)
	if err != nil {
		return r.trouble(nonsense, "cannot be asked", err) // strings and numbers can always be written
	}
	limited, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodPost, r.endpoint, bytes.NewReader(body))
	if err != nil {
		return r.trouble(setup, "cannot be asked", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "lukasa")
	r.authorize(request)
	response, err := r.client.Do(request)
	if err != nil {
		return r.unreachable(ctx, err)
	}
	defer response.Body.Close()
	limit := int64(maxAnswer)
	if response.StatusCode != http.StatusOK {
		limit = maxComplaint
	}
	var answer []byte
	if response.ContentLength <= limit {
		answer, err = io.ReadAll(io.LimitReader(response.Body, limit+1))
	}
	switch {
	case response.StatusCode != http.StatusOK:
		return r.complaint(response, answer)
	case err != nil:
		return r.unreachable(ctx, err)
	case response.ContentLength > limit || int64(len(answer)) > limit:
		return r.trouble(nonsense, fmt.Sprintf("answered with more than %d MiB", maxAnswer>>20), nil)
	}
	return r.take(answer, b)
}

// trouble says what the server did. No detail and no cause holds the key.
func (r *Remote) trouble(k kind, did string, cause error) *trouble {
	detail := r.at() + " " + did
	if cause != nil {
		text := cause.Error()
		hidden := r.redact(text)
		detail += ": " + hidden
		if hidden != text {
			cause = nil
		}
	}
	return &trouble{kind: k, detail: detail, cause: cause}
}

// unreachable is the trouble that a request or its answer did not get through.
func (r *Remote) unreachable(ctx context.Context, err error) *trouble {
	if ctx.Err() != nil {
		return r.gaveUp(ctx, err)
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // without the address, which is in the message already
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return r.trouble(outage, fmt.Sprintf("did not answer within %v", r.options.Timeout), nil)
	}
	return r.trouble(outage, "cannot be reached", err)
}

// maxComplaint is how much is read of an answer that says why there is none.
const maxComplaint = 16 << 10

// complaint is the trouble that a status other than 200 announces.
func (r *Remote) complaint(response *http.Response, body []byte) *trouble {
	status := response.StatusCode
	did := fmt.Sprintf("answered %d %s", status, http.StatusText(status))
	if words := r.words(body); words != "" && status != http.StatusUnauthorized && status != http.StatusForbidden {
		did += ": " + words // those two like to quote a part of the key
	}
	t := r.trouble(setup, did, nil)
	switch {
	case status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity:
		t.kind = refusal
		t.fix = "check the model, and whether it can shorten vectors"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		t.fix = "check the key"
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status/100 == 3:
		t.fix = "check the address, to which /embeddings is appended, and the model"
	case status == http.StatusTooManyRequests:
		t.kind = busy
	case status == http.StatusInternalServerError:
		t.kind = breakdown
	case status == http.StatusRequestTimeout || status >= 500:
		t.kind = outage
	}
	if t.wait = r.retryAfter(response.Header.Get("Retry-After")); t.wait > longestWait {
		t.detail += fmt.Sprintf(" (come back in more than %v)", longestWait)
	}
	return t
}

// retryAfter returns the wait that a server asks for, in seconds or as a date, and 0
// if it asks for none.
func (r *Remote) retryAfter(value string) time.Duration {
	value = strings.TrimSpace(value)
	seconds, err := strconv.ParseUint(value, 10, 64)
	if err == nil && seconds <= uint64(longestWait/time.Second) {
		return time.Duration(seconds) * time.Second
	}
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return longestWait + time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(r.options.Now()))
	}
	return 0
}

// words returns what the server says about an error: one line, not long, without the
// key. The place of the words differs between servers.
func (r *Remote) words(body []byte) string {
	var said struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(body, &said) != nil {
		return ""
	}
	text := said.Message
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(said.Error, &inner) == nil && inner.Message != "" {
		text = inner.Message
	} else if s := ""; json.Unmarshal(said.Error, &s) == nil && s != "" {
		text = s
	}
	text = r.redact(strings.Join(strings.FieldsFunc(text, func(c rune) bool {
		return unicode.IsSpace(c) || !unicode.IsPrint(c)
	}), " "))
	const most = 200
	if len(text) > most {
		end := most
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "…"
	}
	return text
}
