package serving

import (
	"context"
	"encoding/json"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/bench"
	"lukasa.dev/internal/fault"
)

// packs requests packs over HTTP, next to the same questions through the library on the same
// board.
func (r *run) packs(ctx context.Context) error {
	w, err := dial(r.node.URL(), "/v1/pack", r.token, sendsJSON)
	if err != nil {
		return err
	}
	defer w.close()
	tenant := r.tenant()
	wait, err := r.asked(ctx, "packs", max(min(r.o.Events/50, mostPacks), 1), func(query string) error {
		body, err := json.Marshal(map[string]any{"query": query, "budget": packBudget})
		if err != nil {
			return fault.Wrap(fault.Internal, err)
		}
		_, err = w.post(body)
		return err
	}, func(query string) error {
		_, err := tenant.Pack(ctx, lukasa.PackOptions{Query: query, Budget: packBudget})
		return err
	})
	wait.Name, wait.What, wait.Beside = "pack", "packs of 2,000 tokens over HTTP", "the library's packs"
	r.report.Waits = append(r.report.Waits, wait)
	return err
}

// The parts of a tool call.
const (
	mcpHeader = "Accept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2025-06-18\r\n"
	mcpMethod = "tools/call"
)

// blocks requests blocks of context with a tool, as an agent does, next to the library.
func (r *run) blocks(ctx context.Context) error {
	w, err := dial(r.node.URL(), "/mcp", r.token, sendsJSON, mcpHeader)
	if err != nil {
		return err
	}
	defer w.close()
	tenant := r.tenant()
	wait, err := r.asked(ctx, "a tool", max(min(r.o.Events/50, mostPacks)/2, 1), func(query string) error {
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": mcpMethod, "params": map[string]any{
			"name": "pack_context", "arguments": map[string]any{"topic": query, "budget_tokens": packBudget},
		}})
		if err != nil {
			return fault.Wrap(fault.Internal, err)
		}
		text, err := w.post(body)
		if err != nil {
			return err
		}
		return called(text)
	}, func(query string) error {
		_, err := tenant.PackContext(ctx, lukasa.PackContextOptions{BlockRequest: lukasa.BlockRequest{Topic: query, Budget: hmx.Some(packBudget)}})
		return err
	})
	wait.Name, wait.What, wait.Beside = "mcp", "the tool pack_context over MCP", "the library's blocks"
	r.report.Waits = append(r.report.Waits, wait)
	return err
}

// called is the error of a failed tool call.
func called(text []byte) error {
	var answer struct {
		Result *struct {
			IsError bool `json:"isError"`
		} `json:"result"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return fault.Wrap(fault.Internal, err)
	}
	if answer.Result == nil || answer.Result.IsError {
		return fault.Newf(fault.Internal, "the tool failed: %.500s", text)
	}
	return nil
}

// asked runs the same questions on both sides alternately, each once more than counts, and
// after a warm-up. The first side changes from question to question.
func (r *run) asked(ctx context.Context, what string, questions int, ours, other func(query string) error) (Wait, error) {
	var times [2][]time.Duration
	warm := questions/8 + 1
	for i := range warm + questions {
		r.o.Progress(what, i, warm+questions)
		query := r.corpus.Question()
		if err := other(query); err != nil { // so that both find the same data in caches
			return Wait{}, err
		}
		for k := range 2 {
			side := (i + k) % 2
			if err := ctx.Err(); err != nil {
				return Wait{}, err
			}
			start := time.Now()
			if err := [2]func(string) error{ours, other}[side](query); err != nil {
				return Wait{}, err
			}
			if i >= warm {
				times[side] = append(times[side], time.Since(start))
			}
		}
	}
	o := bench.LatencyOf(times[1])
	wait := Wait{Ours: bench.LatencyOf(times[0]), Other: &o}
	wait.Adds = wait.Ours.P50 - o.P50
	return wait, nil
}
