package nexttool

import (
	"cmp"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/trace"
)

// history is the tools called so far, with whether they failed.
type history []call

type call struct {
	tool   string
	failed bool
}

// called returns the tool of a call.
func called(ev *hmx.Event) (string, bool) {
	if ev.EventType != hmx.TypeToolCall {
		return "", false
	}
	c, ok := hmx.EventContentAs[hmx.ToolCall](ev)
	return c.ToolName, ok && c.ToolName != ""
}

// add adds an event.
func (h *history) add(ev *hmx.Event) {
	if tool, ok := called(ev); ok {
		*h = append(*h, call{tool: tool})
	}
	if ev.EventType != hmx.TypeToolResult || len(*h) == 0 {
		return
	}
	if r, ok := hmx.EventContentAs[hmx.ToolResult](ev); ok {
		(*h)[len(*h)-1].failed = !r.Success.Or(true)
	}
}

// failed reports whether the last result failed.
func (h history) failed() bool { return len(h) > 0 && h[len(h)-1].failed }

// at returns the n-th last call, from 1.
func (h history) at(n int) call {
	if n > len(h) {
		return call{}
	}
	return h[len(h)-n]
}

// situation is the state that a baseline distinguishes.
type situation struct {
	last, before string
	failed       bool
}

func ever(history) situation           { return situation{} }
func lastTool(h history) situation     { return situation{last: h.at(1).tool} }
func lastAndError(h history) situation { return situation{last: h.at(1).tool, failed: h.failed()} }
func lastTwo(h history) situation {
	return situation{last: h.at(1).tool, before: h.at(2).tool, failed: h.failed()}
}

// counts suggests what came most often in the same situation, first of the most specific kind,
// then of the others.
type counts struct {
	kinds  []func(history) situation
	ranked []map[situation][]string
}

func newCounts(sessions []*Session, kinds ...func(history) situation) *counts {
	c := &counts{kinds: kinds}
	for _, kind := range kinds {
		tools := make(map[situation]map[string]int)
		for _, s := range sessions {
			var h history
			for _, ev := range s.Events {
				if tool, ok := called(ev); ok {
					k := kind(h)
					if tools[k] == nil {
						tools[k] = make(map[string]int)
					}
					tools[k][tool]++
				}
				h.add(ev)
			}
		}
		ranked := make(map[situation][]string, len(tools))
		for k, n := range tools {
			ranked[k] = rank(n)
		}
		c.ranked = append(c.ranked, ranked)
	}
	return c
}

// rank returns names by frequency, and then by name.
func rank(n map[string]int) []string {
	names := make([]string, 0, len(n))
	for name := range n {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), strings.Compare(a, b)) })
	return names
}

func (c *counts) next(h history, _ *trace.Reader) []string {
	var out []string
	for i, kind := range c.kinds {
		for _, tool := range c.ranked[i][kind(h)] {
			if !slices.Contains(out, tool) {
				out = append(out, tool)
			}
		}
	}
	return out
}
