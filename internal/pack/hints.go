package pack

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/quote"
	"lukasa.dev/internal/tokens"
)

// Constants of hints.
const (
	namedTask    = 0.5 // the relevance from which a schema counts as the task before any step is done
	fading       = 0.9 // the confidence of a step relative to that of the step before
	maxBlockers  = 5
	blockerBytes = 200
	wordLetters  = 4 // the shortest words that identify a step without tools

	// Limits on what is compared: the last deeds of the session, consecutive optional steps of
	// a schema, tools of a step and the bytes of a tool's name.
	maxDeeds    = 64
	maxOptional = 16
	maxTools    = 16
	toolBytes   = 128
)

// hints returns what the session is doing, by the schema that best fits its deeds, what usually
// comes next, and what failed. It returns nil if nothing is known.
func (t *Task) hints() *hmx.WorkflowHints {
	h := &hmx.WorkflowHints{Blockers: t.blockers()}
	deeds := t.last()
	said := make([]map[string]bool, len(deeds))
	for i := range deeds {
		said[i] = longWords(deeds[i].Text)
	}
	best := -1
	var course walk
	for i := range t.Schemas {
		w := t.Schemas[i].walk(len(deeds), t.Schemas[i].matcher(deeds, said))
		if w.matched == 0 && !(t.Schemas[i].Relevance >= namedTask) {
			continue
		}
		if best < 0 || better(&t.Schemas[i], w, &t.Schemas[best], course) {
			best, course = i, w
		}
	}
	switch {
	case best >= 0:
		t.Schemas[best].tell(h, course.at)
	case len(h.Blockers) == 0 && len(t.Next) == 0:
		return nil
	}
	if len(t.Next) > 0 {
		h.SuggestedNextSteps = nil
	}
	for i := range t.Next[:min(len(t.Next), hmx.MaxNextSteps)] {
		h.SuggestedNextSteps = append(h.SuggestedNextSteps, t.Next[i].hint())
	}
	return h
}

// basisObserved is the member basis of a step that was observed to follow.
const basisObserved = `"observed"`

// hint returns a possible next tool in the form of a pack.
func (n *Next) hint() hmx.NextStep {
	return hmx.NextStep{
		Description: clip("Call "+n.Tool+": "+n.Reason, ruleBytes), ArtifactID: hmx.Some(strings.ToValidUTF8(n.ArtifactID, "\uFFFD")),
		Confidence: hmx.Some(round(unit(n.Chance))), Tools: []string{clip(n.Tool, toolBytes)}, Extra: hmx.Extra{"basis": basisObserved},
	}
}

// Observed reports whether a step is suggested because it was observed to follow, rather than
// because a schema contains it.
func Observed(s *hmx.NextStep) bool { return s.Extra["basis"] == basisObserved }

// walk is how far deeds have progressed along the steps of a schema.
type walk struct {
	at      int // the step after the last one that was done
	matched int // how many were done
	part    float64
}

// last returns the last deeds, as many as hints consider.
func (t *Task) last() []Deed { return t.Deeds[max(0, len(t.Deeds)-maxDeeds):] }

// walk follows deeds along the steps. matches reports whether a deed is a step. One required
// step may be skipped, and a number of optional ones.
func (s *Schema) walk(deeds int, matches func(deed, step int) bool) (w walk) {
	required := 0
	for i := range s.Steps {
		if !s.Steps[i].Optional {
			required++
		}
	}
	for i := range deeds {
		skipped, optional := 0, 0
		for j := w.at; j < len(s.Steps) && skipped <= 1 && optional <= maxOptional; j++ {
			if matches(i, j) {
				w.at = j + 1
				w.matched++
				break
			}
			if s.Steps[j].Optional {
				optional++
			} else {
				skipped++
			}
		}
	}
	w.part = float64(w.matched) / float64(max(1, required))
	return w
}

// matcher returns a function that reports whether a deed is a step: by its tool, or by most of
// the step's words if the step has no tools. said has the words of the deeds; those of a step
// are read once.
func (s *Schema) matcher(deeds []Deed, said []map[string]bool) func(deed, step int) bool {
	wanted := map[int]map[string]bool{}
	return func(deed, step int) bool {
		if tools := s.Steps[step].tools(); len(tools) > 0 {
			tool := deeds[deed].Tool
			return tool != "" && slices.ContainsFunc(tools, func(t string) bool { return strings.EqualFold(t, tool) })
		}
		want, known := wanted[step]
		if !known {
			want = longWords(s.Steps[step].Description)
			wanted[step] = want
		}
		n := 0
		for word := range want {
			if said[deed][word] {
				n++
			}
		}
		return n > 0 && 2*n >= len(want)
	}
}

// tools returns the tools of a step that are compared.
func (s *Step) tools() []string { return s.Tools[:min(len(s.Tools), maxTools)] }

// longWords returns the words at the beginning of a text that are not short, in lower case.
func longWords(text string) map[string]bool {
	set := map[string]bool{}
	text = quote.Head(text, ruleBytes)
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if utf8.RuneCountInString(word) >= wordLetters {
			set[word] = true
		}
	}
	return set
}

// better reports whether schema a is more likely the task than b.
func better(a *Schema, w walk, b *Schema, v walk) bool {
	return cmp.Or(cmp.Compare(v.part, w.part), cmp.Compare(unit(b.Relevance), unit(a.Relevance)),
		cmp.Compare(unit(b.Confidence), unit(a.Confidence)), cmp.Compare(a.ArtifactID, b.ArtifactID)) < 0
}

// tell adds the steps after step at.
func (s *Schema) tell(h *hmx.WorkflowHints, at int) {
	h.ActiveTaskSchema = hmx.Some(strings.ToValidUTF8(s.ArtifactID, "\uFFFD"))
	h.CurrentStep, h.TotalSteps = hmx.Some(int64(at)), hmx.Some(int64(len(s.Steps)))
	sure := unit(s.Confidence) * unit(s.SuccessRate.Or(1))
	for i := at; i < len(s.Steps) && len(h.SuggestedNextSteps) < hmx.MaxNextSteps; i++ {
		step := hmx.NextStep{
			Description: clip(s.Steps[i].Description, ruleBytes), ArtifactID: h.ActiveTaskSchema, Confidence: hmx.Some(round(sure)),
			Extra: hmx.Extra{"step": hmx.Raw(strconv.Itoa(i + 1))},
		}
		for _, tool := range s.Steps[i].tools() {
			step.Tools = append(step.Tools, clip(tool, toolBytes))
		}
		if s.SuccessRate.Set {
			step.Extra["success_rate"] = number6(s.SuccessRate.Value)
		}
		if s.Observed.Set {
			step.Extra["observed_count"] = hmx.Raw(strconv.FormatInt(s.Observed.Value, 10))
		}
		h.SuggestedNextSteps = append(h.SuggestedNextSteps, step)
		sure *= fading
	}
}

// number6 returns a number between 0 and 1 as JSON.
func number6(x float64) hmx.Raw { return hmx.Raw(canon.AppendShortest(nil, round(unit(x)))) }

// blockers returns the failures without a later success, newest first.
func (t *Task) blockers() []string {
	var list []string
	var well []string // tools that succeeded later
	for _, d := range slices.Backward(t.last()) {
		if len(list) == maxBlockers {
			break
		}
		same := func(tool string) bool { return strings.EqualFold(tool, d.Tool) }
		switch d.Outcome {
		case memory.OutcomeSuccess:
			well = append(well, d.Tool)
		case memory.OutcomeFailure:
			text := clip(d.Text, blockerBytes)
			if d.Tool != "" {
				text = clip(d.Tool, toolBytes) + ": " + text
			}
			if text = clip(text, blockerBytes); !slices.ContainsFunc(well, same) && !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return list
}

// clip returns the beginning of a text, at most most bytes, with an ellipsis if it was cut.
func clip(text string, most int) string {
	long := len(text) > most
	if long { // the far end is not read
		text = quote.Head(text, most)
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	if !long && len(text) <= most {
		return text
	}
	const mark = "…"
	n := len(quote.Head(text, most-len(mark)))
	return strings.TrimRight(text[:tokens.Between(text, n/2, n)], " ") + mark
}

// hintsWithin returns the hints in the markdown of a pack of total tokens: nothing in a small
// pack, and otherwise as many steps as fit into a tenth of it.
func hintsWithin(c tokens.Counter, total int, h *hmx.WorkflowHints) string {
	if h == nil || total < minHinted {
		return ""
	}
	shown := *h
	for {
		text := hintsText(&shown)
		if c.Count(text) <= total/hintShare {
			return text
		}
		switch {
		case len(shown.SuggestedNextSteps) > 1:
			shown.SuggestedNextSteps = shown.SuggestedNextSteps[:len(shown.SuggestedNextSteps)-1]
		case len(shown.Blockers) > 0:
			shown.Blockers = shown.Blockers[:len(shown.Blockers)-1]
		default:
			return ""
		}
	}
}

// hintsOf returns the hints in the markdown of a pack.
func hintsOf(p *hmx.Pack) string {
	if !p.WorkflowHints.Set {
		return ""
	}
	var stated struct {
		Counter string `json:"counter"`
	}
	counter := tokens.O200k()
	if json.Unmarshal([]byte(p.Metadata), &stated) == nil && stated.Counter == tokens.Estimate().Name() {
		counter = tokens.Estimate()
	}
	return hintsWithin(counter, int(min(p.TokenBudget.TotalBudget, MaxBudget)), &p.WorkflowHints.Value)
}
