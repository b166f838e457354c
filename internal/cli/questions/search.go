package questions

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/fault"
)

// asks reports whether a find with a text is a search: whether the flags only narrow the
// candidates, and none needs a comparison of one record after the other.
func (f *finding) asks(text string) bool {
	for _, field := range []string{"key_prefix", "frame", "status", "state", "held_at", "where", "follow", "seeds"} {
		if f.request.Fields[field] != nil {
			return false
		}
	}
	order := f.request.Fields["order"]
	return text != "" && (order == nil || order == string(lukasa.ByRelevance))
}

// What --only can be.
const (
	onlyWords   = "words"
	onlyMeaning = "meaning"
)

// question makes the request of a find that of a search, and asks the embedder before the directory is
// held.
func (f *finding) question(text string) (err error) {
	r := f.request
	if f.trust != "" {
		if !slices.Contains(ask.TrustNames(), f.trust) {
			return ask.UnknownName(fault.Usage, "tier for --trust", f.trust, ask.TrustNames())
		}
		r.Fields["min_trust"] = f.trust
	}
	if f.only != "" {
		if f.only != onlyWords && f.only != onlyMeaning {
			return ask.UnknownName(fault.Usage, "source for --only", f.only, []string{onlyWords, onlyMeaning})
		}
		r.Fields["only"] = f.only
	}
	if f.explain {
		r.Fields["explain"] = true
	}
	// A question is not worth a long wait.
	if f.asked, err = f.Embedder(r.Cmd, &f.embedder, lukasa.EmbedServer{Retries: -1}); err != nil {
		return err
	}
	if f.only != onlyWords {
		f.asked = askAhead(r.Cmd.Context(), f.asked, text)
	}
	r.Operation = "search"
	for field, as := range map[string]string{"text": "query", "limit": "top_k", "after": "since", "before": "until", "agent": "agents", "session": "sessions", "order": ""} {
		value := r.Fields[field]
		delete(r.Fields, field)
		switch {
		case value == nil || as == "":
		case as == "agents" || as == "sessions":
			r.Fields[as] = []any{value}
		default:
			r.Fields[as] = value
		}
	}
	return nil
}

// asSearch says what is wrong with a question in the words of the command line.
func asSearch(c *cobra.Command, e *fault.Error) error {
	field, rule, _ := strings.Cut(e.Error(), ": ")
	field, _, _ = strings.Cut(field, "[")
	name, ok := map[string]string{
		"kinds": "kind", "types": "type", "tags": "tag", "agents": "agent", "sessions": "session", "since": "since", "until": "until",
		"top_k": "limit", "budget_tokens": "budget", "form": "form", "min_trust": "trust",
	}[field]
	switch {
	case field == "query":
		return fault.New(fault.Usage, "the QUESTION "+rule).WithCause(e).WithFix(e.Advice())
	case !ok || !c.Flags().Changed(name):
		return e
	}
	return fault.New(fault.Usage, "--"+name+" "+strings.ReplaceAll(rule, "after since", "after --since")).WithCause(e).WithFix(e.Advice())
}
