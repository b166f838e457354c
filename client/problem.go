package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"lukasa.dev/hmx"
)

// Problem is a server's refusal of a call, as in RFC 9457.
type Problem struct {
	// Status is the HTTP status, Code the stable code of the error; docs/errors.md lists them.
	Status int    `json:"status"`
	Code   string `json:"code"`
	Title  string `json:"title"`
	// Detail says what happened, and Fix what to do about it.
	Detail string `json:"detail"`
	Fix    string `json:"fix"`
	// Field is the member of the request that is wrong, if there is one.
	Field string `json:"field,omitempty"`
	// RequestID identifies the call in the server's log.
	RequestID string `json:"request_id,omitempty"`
	// Problems are all faults of an HMX document.
	Problems []hmx.Problem `json:"problems,omitempty"`
	// RetryAfter is how long the server asks to wait.
	RetryAfter time.Duration `json:"-"`
}

// Error returns the detail and the code.
func (p *Problem) Error() string { return fmt.Sprintf("%s [%s]", p.Detail, p.Code) }

// statusOf decodes a google.rpc.Status, which refuses spans.
func statusOf(answer []byte) *Problem {
	var s struct {
		Message string
		Details []struct{ Reason string }
	}
	if json.Unmarshal(answer, &s) != nil || len(s.Details) == 0 {
		return &Problem{}
	}
	return &Problem{Code: s.Details[0].Reason, Detail: s.Message}
}

// problemOf decodes a refusal. An answer that is no problem document becomes a problem.
func problemOf(res *http.Response, answer []byte) *Problem {
	p := &Problem{}
	if json.Unmarshal(answer, p) != nil || p.Code == "" {
		p = statusOf(answer)
	}
	if p.Code == "" {
		p = &Problem{Code: "http_" + strconv.Itoa(res.StatusCode), Title: res.Status, Detail: fmt.Sprintf("the server answered %s: %.200s", res.Status, answer)}
	}
	p.Status = res.StatusCode
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds > 0 {
		p.RetryAfter = min(time.Duration(seconds)*time.Second, time.Hour)
	}
	return p
}
