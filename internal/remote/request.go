package remote

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

// ask sends one request and decodes the answer.
func (c *Client) ask(ctx context.Context, body []byte, take Take) *Trouble {
	limited, cancel := context.WithTimeout(ctx, c.options.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return c.trouble(setup, "cannot be asked", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "lukasa")
	c.authorize(request)
	response, err := c.client.Do(request)
	if err != nil {
		return c.unreachable(ctx, err)
	}
	defer response.Body.Close()
	limit := c.options.MaxAnswer
	if response.StatusCode != http.StatusOK {
		limit = maxComplaint
	}
	var answer []byte
	if response.ContentLength <= limit {
		answer, err = io.ReadAll(io.LimitReader(response.Body, limit+1))
	}
	switch {
	case response.StatusCode != http.StatusOK:
		return c.complaint(response, answer)
	case err != nil:
		return c.unreachable(ctx, err)
	case response.ContentLength > limit || int64(len(answer)) > limit:
		return c.trouble(nonsense, fmt.Sprintf("answered with more than %d MiB", limit>>20), nil)
	}
	return take(answer)
}

// Nonsense is the trouble of an invalid answer: what the server did, and the error that shows
// it, if there is one.
func (c *Client) Nonsense(did string, cause error) *Trouble { return c.trouble(nonsense, did, cause) }

// trouble describes what the server did. Neither its detail nor its cause contains the key.
func (c *Client) trouble(k kind, did string, cause error) *Trouble {
	detail := c.At() + " " + did
	if cause != nil {
		text := cause.Error()
		hidden := c.redact(text)
		detail += ": " + hidden
		if hidden != text {
			cause = nil
		}
	}
	return &Trouble{kind: k, code: c.options.Unavailable, detail: detail, cause: cause}
}

// unreachable is the trouble of a request or an answer that did not get through.
func (c *Client) unreachable(ctx context.Context, err error) *Trouble {
	if ctx.Err() != nil {
		return c.gaveUp(ctx, err)
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err // without the URL, which the message has already
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return c.trouble(outage, fmt.Sprintf("did not answer within %v", c.options.Timeout), nil)
	}
	return c.trouble(outage, "cannot be reached", err)
}

// maxComplaint is how much is read of an error answer.
const maxComplaint = 16 << 10

// complaint is the trouble of a status other than 200.
func (c *Client) complaint(response *http.Response, body []byte) *Trouble {
	status := response.StatusCode
	did := fmt.Sprintf("answered %d %s", status, http.StatusText(status))
	if words := c.Words(body); words != "" && status != http.StatusUnauthorized && status != http.StatusForbidden {
		did += ": " + words // those two often quote a part of the key
	}
	t := c.trouble(setup, did, nil)
	switch {
	case status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity:
		t.kind = refusal
		t.fix = c.options.Refused
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		t.fix = "check the key"
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status/100 == 3:
		t.fix = "check the address, to which " + c.options.Path + " is appended, and the model"
	case status == http.StatusTooManyRequests:
		t.kind = busy
	case status == http.StatusInternalServerError:
		t.kind = breakdown
	case status == http.StatusRequestTimeout || status >= 500:
		t.kind = outage
	}
	if t.wait = c.retryAfter(response.Header.Get("Retry-After")); t.wait > longestWait {
		t.detail += fmt.Sprintf(" (come back in more than %v)", longestWait)
	}
	return t
}

// retryAfter returns the wait that a server requests, in seconds or as a date, and 0 if there
// is none.
func (c *Client) retryAfter(value string) time.Duration {
	value = strings.TrimSpace(value)
	seconds, err := strconv.ParseUint(value, 10, 64)
	if err == nil && seconds <= uint64(longestWait/time.Second) {
		return time.Duration(seconds) * time.Second
	}
	if err == nil || errors.Is(err, strconv.ErrRange) {
		return longestWait + time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(c.options.Now()))
	}
	return 0
}

// Words returns the server's error message: one short line without the key. Its place differs
// between servers.
func (c *Client) Words(body []byte) string {
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
	text = c.redact(strings.Join(strings.FieldsFunc(text, func(c rune) bool {
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
