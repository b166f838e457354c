package retrieval

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/recall"
	"lukasa.dev/internal/record"
)

// maxSearchValues is how many values one filter of a search may have.
const maxSearchValues = 1024

// CheckSearch validates a search and fills in its defaults.
func CheckSearch(o *SearchOptions) error {
	if o.TopK == 0 {
		o.TopK = DefaultSearchHits
	}
	if o.Form == "" {
		o.Form = memory.FormMedium
	}
	bad := func(field, format string, args ...any) *fault.Error {
		return fault.Newf(fault.InvalidArgument, field+": "+format, args...)
	}
	switch {
	case o.TopK < 1 || o.TopK > MaxSearchHits:
		return bad("top_k", "is %d, but must be from 1 to %d", o.TopK, MaxSearchHits).WithFix("ask for fewer; what does not answer well is no help")
	case len(o.Query) > MaxSearchQuery:
		return bad("query", "has %d bytes, but may have at most %d", len(o.Query), MaxSearchQuery).WithFix("ask for what matters in it")
	case strings.TrimSpace(o.Query) == "" && o.Vector == nil:
		return bad("query", "is empty").WithFix("say what is looked for, or give a vector")
	case o.BudgetTokens < 0:
		return bad("budget_tokens", "is %d, but must not be negative", o.BudgetTokens).WithFix("leave it out for no budget")
	case !slices.Contains(memory.FormList(), o.Form):
		return bad("form", "is %q, which is not a form", o.Form).WithFix("use short, medium or full")
	case o.MinTrust != 0 && !o.MinTrust.Known():
		return bad("min_trust", "there is no tier %d", uint8(o.MinTrust)).WithFix("use external, tool, agent, user or operator")
	case !o.Since.IsZero() && !o.Until.IsZero() && !o.Since.Before(o.Until):
		return bad("until", "is not after since").WithFix("give a later time, or leave one of them out")
	case o.Sources&^(recall.Words|recall.Meaning|recall.Graph) != 0:
		return bad("sources", "has one that there is not").WithFix("use words, meaning and graph")
	case o.Vector == nil && o.Model != "":
		return bad("model", "is given without a vector").WithFix("give the vector that the model made of the question")
	case o.Vector != nil && o.Embedder != nil:
		return bad("vector", "is given together with an embedder, which would make another").WithFix("leave one of them out")
	case o.EmbedTimeout < 0:
		return bad("embed_timeout", "is %v, but must not be negative", o.EmbedTimeout).WithFix("leave it out for the default")
	}
	for i, k := range o.Kinds {
		if !index.IsDocument(k) {
			return bad(fmt.Sprintf("kinds[%d]", i), "is %s, which has nothing that answers a question", k).
				WithFix("use event, memory, entity, relation, conflict, policy or artifact")
		}
	}
	for _, list := range []struct {
		field  string
		values int
	}{{"kinds", len(o.Kinds)}, {"types", len(o.Types)}, {"agents", len(o.Agents)}, {"sessions", len(o.Sessions)}, {"tags", len(o.Tags)}} {
		if list.values > maxSearchValues {
			return bad(list.field, "has %d values, but may have at most %d", list.values, maxSearchValues).
				WithFix("ask several times, or leave the filter out")
		}
	}
	if len(o.Kinds) == 1 && o.Kinds[0] == record.Memory {
		for i, name := range o.Types {
			if !slices.Contains(memory.Types(), memory.Type(name)) {
				return bad(fmt.Sprintf("types[%d]", i), "is %q, which is not a type of memory", name).
					WithFix("use one of " + Words(memory.Types()))
			}
		}
	}
	if err := CheckAsOf(o.AsOf); err != nil {
		return err
	}
	return o.checkVector()
}

// checkVector validates a vector as far as that does not depend on the state.
func (o *SearchOptions) checkVector() error {
	if o.Vector == nil {
		return nil
	}
	bad := func(format string, args ...any) *fault.Error {
		return fault.Newf(fault.InvalidArgument, "vector: "+format, args...)
	}
	if len(o.Vector) == 0 || len(o.Vector) > hmx.MaxEmbeddings {
		return bad("has %d numbers, but must have from 1 to %d", len(o.Vector), hmx.MaxEmbeddings).
			WithFix("give the whole vector of the question, or leave it out")
	}
	zero := true
	for i, x := range o.Vector {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return bad("number %d is %v, which is not a finite number", i, x).WithFix("give finite numbers")
		}
		zero = zero && x == 0
	}
	if zero {
		return bad("is zero, and has no direction").WithFix("leave it out, or give the vector of the question")
	}
	return nil
}

// Words joins names for an error.
func Words[T ~string](all []T) string {
	var b strings.Builder
	for i, w := range all {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(w))
	}
	return b.String()
}

// Quoted returns the beginning of a value for an error, without characters that
// could change how the line reads.
func Quoted(s string) string {
	const shown = 40
	if utf8.RuneCountInString(s) > shown {
		return strconv.QuoteToGraphic(string([]rune(s[:min(len(s), 4*shown)])[:shown])) + "…"
	}
	return strconv.QuoteToGraphic(s)
}
