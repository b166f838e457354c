// Package nexttool measures how well the next tool of an agent is predicted from artifacts that
// were compiled from other tasks.
//
// # What is measured
//
// For every tool call of a session, given the events before it: whether the tool that
// came next was suggested first (hit@1), or among the first three (hit@3). Tasks are
// in five folds, and what is suggested for the sessions of a fold was compiled from the
// sessions of the other four. "After an error" are the calls before which the last
// result of a tool had failed.
//
// There are three baselines, learned from the same sessions: the most frequent tool, the one
// that most often came after the last tool, and the one that most often came after the last two
// and the failure of the last. Each falls back to the simpler ones; ties are in the order of
// names.
//
// # What is guaranteed
//
// Suggestions come from artifacts that were encoded as JSON and decoded again, and from the
// events before the call; nothing else of the training sessions is kept. The same data gives
// the same report.
package nexttool

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/compile"
	"lukasa.dev/internal/guide"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace"
)

// Folds is the number of folds of the tasks.
const Folds = 5

// The names of the rows of a report, in their order.
const (
	RowFrequent  = "most frequent tool"
	RowLast      = "tool after the last tool"
	RowLastTwo   = "after the last two, with errors"
	RowArtifacts = "compiled artifacts"
)

// Report is how well the next tool was predicted.
type Report struct {
	Sessions  int   `json:"sessions"`
	Events    int   `json:"events"`
	Artifacts []int `json:"artifacts"` // per fold
	Rows      []Row `json:"rows"`
}

// Row is the result of one predictor.
type Row struct {
	Name       string  `json:"name"`
	All        Figures `json:"all"`
	AfterError Figures `json:"after_error"`
}

// Figures are shares of calls, rounded to four digits.
type Figures struct {
	Calls int     `json:"calls"`
	Hit1  float64 `json:"hit_at_1"`
	Hit3  float64 `json:"hit_at_3"`
}

// tally counts hits.
type tally struct{ calls, first, three int }

func (t *tally) add(tool string, suggested []string) {
	t.calls++
	for i, s := range suggested[:min(3, len(suggested))] {
		if s == tool {
			t.three++
			if i == 0 {
				t.first++
			}
		}
	}
}

func (t *tally) figures() Figures {
	share := func(n int) float64 { return math.Round(float64(n)/float64(max(1, t.calls))*1e4) / 1e4 }
	return Figures{t.calls, share(t.first), share(t.three)}
}

// foreseer suggests tools for the next call, the likeliest first.
type foreseer interface {
	next(h history, session *trace.Reader) []string
}

// Run measures a set.
func Run(ctx context.Context, s *Set) (*Report, error) {
	r := &Report{Sessions: len(s.Sessions), Events: s.Events}
	names := []string{RowFrequent, RowLast, RowLastTwo, RowArtifacts}
	all, failed := make([]tally, len(names)), make([]tally, len(names))
	for fold := range Folds {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var known, held []*Session
		for i := range s.Sessions {
			if s.Sessions[i].Fold == fold {
				held = append(held, &s.Sessions[i])
			} else {
				known = append(known, &s.Sessions[i])
			}
		}
		model, artifacts, err := learn(ctx, known)
		if err != nil {
			return nil, err
		}
		r.Artifacts = append(r.Artifacts, artifacts)
		by := []foreseer{newCounts(known, ever), newCounts(known, lastTool, ever), newCounts(known, lastTwo, lastAndError, ever), compiled{model}}
		for _, session := range held {
			foresee(session, by, all, failed)
		}
	}
	for i, name := range names {
		r.Rows = append(r.Rows, Row{name, all[i].figures(), failed[i].figures()})
	}
	return r, nil
}

// foresee predicts each call of a session.
func foresee(session *Session, by []foreseer, all, failed []tally) {
	var h history
	var reader trace.Reader
	for i, ev := range session.Events {
		if tool, ok := called(ev); ok {
			for j, f := range by {
				suggested := f.next(h, &reader)
				all[j].add(tool, suggested)
				if h.failed() {
					failed[j].add(tool, suggested)
				}
			}
		}
		h.add(ev)
		reader.Add(event(ev, i))
	}
}

// event returns an event as the journal would have it at a position.
func event(ev *hmx.Event, at int) trace.Event {
	return trace.Event{Event: ev, Position: uint64(at), Trust: kind.Trust(ev, record.User)}
}

// compiled suggests what artifacts say.
type compiled struct{ *guide.Model }

func (c compiled) next(_ history, session *trace.Reader) []string {
	var task trace.Task
	if tasks := session.Trace().Tasks; len(tasks) > 0 {
		task = tasks[len(tasks)-1]
	}
	var out []string
	for _, s := range c.Next(&task, 3) {
		out = append(out, s.Tool)
	}
	return out
}

// learn compiles sessions, and returns a model of their active artifacts and how many there
// are.
func learn(ctx context.Context, sessions []*Session) (*guide.Model, int, error) {
	var traces []*trace.Trace
	var o compile.Options
	at := 0
	for _, s := range sessions {
		var r trace.Reader
		for _, ev := range s.Events {
			r.Add(event(ev, at))
			at++
			if o.Now.IsZero() || ev.Timestamp.Compare(o.Now) > 0 {
				o.Now = ev.Timestamp
			}
		}
		traces = append(traces, r.Trace())
	}
	drafts, err := compile.Mine(ctx, traces, o)
	if err != nil {
		return nil, 0, err
	}
	var artifacts []*hmx.Artifact
	for _, c := range compile.Merge(drafts, nil, o) {
		if c.Kind != compile.Activate {
			continue
		}
		a, err := written(c.Artifact)
		if err != nil {
			return nil, 0, err
		}
		artifacts = append(artifacts, a)
	}
	return guide.New(artifacts), len(artifacts), nil
}

// written encodes an artifact and decodes it again.
func written(a *hmx.Artifact) (*hmx.Artifact, error) {
	data, err := a.AppendJSON(nil)
	if err != nil {
		return nil, fmt.Errorf("artifact %q: %w", a.Title, err)
	}
	read, _, err := hmx.DecodeArtifact(data)
	if err != nil {
		return nil, fmt.Errorf("artifact %q: %w", a.Title, err)
	}
	return read, nil
}

// String returns the report as a table.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d sessions, %d events, %d folds over tasks, %v artifacts compiled\n\n", r.Sessions, r.Events, Folds, r.Artifacts)
	fmt.Fprintf(&b, "%-34s %7s %7s %7s   %7s %7s %7s\n", "", "calls", "hit@1", "hit@3", "errors", "hit@1", "hit@3")
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "%-34s %7d %7.3f %7.3f   %7d %7.3f %7.3f\n", row.Name,
			row.All.Calls, row.All.Hit1, row.All.Hit3, row.AfterError.Calls, row.AfterError.Hit1, row.AfterError.Hit3)
	}
	return b.String()
}

// Row returns the row with a name.
func (r *Report) Row(name string) (Row, error) {
	for _, row := range r.Rows {
		if row.Name == name {
			return row, nil
		}
	}
	return Row{}, errors.New("the report has no row " + name)
}
