package policy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"lukasa.dev/hmx"
)

// The members of the content of a decision policy beyond those of HMX-A.
// docs/formats/artifacts.md describes them.
const (
	memberBasis   = "basis"
	memberTool    = "tool"
	memberChosen  = "chosen"
	memberStates  = "states"
	memberUses    = "uses"
	memberSaid    = "said"
	memberTelling = "telling"
)

// Values of the member basis.
const (
	BasisAfter = "after" // what followed a tool
	BasisUse   = "use"   // when a tool was called
)

// The limits of content; the least frequent items are left out. Names of tools have at most
// trace.MaxName bytes, so that content stays within the limit of HMX-A for any names.
const (
	MaxChosen = 100 // tools that followed a tool
	MaxStates = 250 // states of a policy
	MaxCells  = 800 // tools of all states of a policy together
	MaxTalk   = 600 // words of the user, and as many of the agent
	maxOthers = 20  // alternatives in the form of HMX-A
	maxCount  = 1 << 32
)

// Chosen is how often a tool was called, with the known outcomes of the tasks.
type Chosen struct {
	Tool      string `json:"tool"`
	Count     int64  `json:"count"`
	Judged    int64  `json:"judged"`
	Succeeded int64  `json:"succeeded"`
}

// Rate returns the share of the judged tasks that succeeded.
func (c Chosen) Rate() hmx.Opt[float64] {
	if c.Judged == 0 {
		return hmx.Opt[float64]{}
	}
	return hmx.Some(float64(c.Succeeded) / float64(c.Judged))
}

// String returns the counts in words.
func (c Chosen) String() string {
	if c.Judged == 0 {
		return fmt.Sprintf("taken %d times", c.Count)
	}
	return fmt.Sprintf("taken %d times; %d of %d judged tasks succeeded", c.Count, c.Succeeded, c.Judged)
}

// Seen is a state, with how often each tool followed in it.
type Seen struct {
	Before string           `json:"before,omitempty"`
	Spoke  string           `json:"spoke,omitempty"`
	Failed bool             `json:"failed,omitempty"`
	Listed bool             `json:"list,omitempty"`
	Tools  map[string]int64 `json:"tools"`
}

// After is what followed a tool, or the start of a task if Tool is empty.
type After struct {
	Tool   string
	Chosen []Chosen // most often first, then by name
	States []Seen   // most often first
}

// Use is when a tool was called.
type Use struct {
	Chosen Chosen
	// Uses are the moments at which the task had not called it yet, had called it once, and
	// more often.
	Uses [3]Chance
	// User and Agent are what each had said when it was called.
	User, Agent Talk
	// Telling are the words most associated with it, the best first.
	Telling []string
}

// Chance is how often a tool was called, among the moments at which it might have been.
type Chance struct {
	Taken int64 `json:"taken"`
	Of    int64 `json:"of"`
}

// Talk is the number of moments in which something was said, and how many of them had each
// word.
type Talk struct {
	Count int64            `json:"count"`
	Words map[string]int64 `json:"words,omitempty"`
}

// Add adds n to the count of a word.
func (t *Talk) Add(word string, n int64) {
	if n <= 0 {
		return
	}
	if t.Words == nil {
		t.Words = make(map[string]int64)
	}
	t.Words[word] += n
}

// said is the member of that name.
type said struct {
	User  Talk `json:"user"`
	Agent Talk `json:"agent"`
}

// Sort sorts the counts as in content.
func (a *After) Sort() {
	slices.SortFunc(a.Chosen, func(x, y Chosen) int { return cmp.Or(cmp.Compare(y.Count, x.Count), strings.Compare(x.Tool, y.Tool)) })
	slices.SortFunc(a.States, func(x, y Seen) int {
		return cmp.Or(cmp.Compare(y.total(), x.total()), strings.Compare(x.Before, y.Before), strings.Compare(x.Spoke, y.Spoke),
			compareBools(x.Failed, y.Failed), compareBools(x.Listed, y.Listed))
	})
}

func (s *Seen) total() (n int64) {
	for _, count := range s.Tools {
		n += count
	}
	return n
}

func compareBools(x, y bool) int {
	switch {
	case x == y:
		return 0
	case y:
		return -1
	}
	return 1
}

// Best returns the recommendation: the tool that was called most often in successful tasks, and
// among equals the one called most often. The tool itself is only recommended if nothing else
// followed: a repetition is no advice.
func (a *After) Best() Chosen {
	return slices.MinFunc(a.Chosen, func(x, y Chosen) int {
		return cmp.Or(compareBools(x.Tool == a.Tool, y.Tool == a.Tool), cmp.Compare(y.Succeeded, x.Succeeded), cmp.Compare(y.Count, x.Count), strings.Compare(x.Tool, y.Tool))
	})
}

// Content returns the policy as content of an artifact. It must have a Chosen.
func (a *After) Content() (hmx.DecisionPolicy, error) {
	bound := a.bounded()
	best := bound.Best()
	c := hmx.DecisionPolicy{
		Condition:      a.condition(),
		Recommendation: best.Tool,
		Alternatives:   others(bound.Chosen, best),
	}
	if a.Tool != "" {
		c.Scope = []string{a.Tool}
	}
	err := extend(&c, map[string]any{
		memberBasis: BasisAfter, memberTool: a.Tool, memberChosen: bound.Chosen, memberStates: bound.States,
	})
	return c, err
}

// others returns the alternatives in the form of HMX-A.
func others(chosen []Chosen, best Chosen) []hmx.PolicyAlternative {
	var out []hmx.PolicyAlternative
	for _, c := range chosen {
		if c.Tool != best.Tool && len(out) < maxOthers {
			out = append(out, hmx.PolicyAlternative{
				Description: c.Tool, Outcome: c.String(), ChosenCount: hmx.Some(c.Count), SuccessRate: c.Rate(),
			})
		}
	}
	return out
}

func (a *After) condition() string {
	if a.Tool == "" {
		return "At the start of a task"
	}
	return "After " + a.Tool
}

// bounded returns the policy within the limits of content.
func (a *After) bounded() *After {
	b := &After{Tool: a.Tool, Chosen: a.Chosen[:min(len(a.Chosen), MaxChosen)]}
	room := MaxCells
	for _, s := range a.States[:min(len(a.States), MaxStates)] {
		tools := most(s.Tools, room)
		if len(tools) == 0 {
			break
		}
		room -= len(tools)
		s.Tools = tools
		b.States = append(b.States, s)
	}
	return b
}

// Content returns the policy as content of an artifact.
func (u *Use) Content() (hmx.DecisionPolicy, error) {
	c := hmx.DecisionPolicy{Condition: "At any time", Recommendation: u.Chosen.Tool, Scope: []string{u.Chosen.Tool}}
	if len(u.Telling) > 0 {
		c.Condition = "When the talk is of " + strings.Join(u.Telling, ", ")
	}
	err := extend(&c, map[string]any{
		memberBasis: BasisUse, memberTool: u.Chosen.Tool, memberChosen: []Chosen{u.Chosen}, memberUses: u.Uses, memberTelling: u.Telling,
		memberSaid: said{Talk{u.User.Count, most(u.User.Words, MaxTalk)}, Talk{u.Agent.Count, most(u.Agent.Words, MaxTalk)}},
	})
	return c, err
}

// most returns the entries with the highest counts, among equals the first by name.
func most(counts map[string]int64, limit int) map[string]int64 {
	if len(counts) <= limit {
		return counts
	}
	type entry struct {
		name string
		n    int64
	}
	entries := make([]entry, 0, len(counts))
	for name, n := range counts {
		entries = append(entries, entry{name, n})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.name, b.name)) })
	out := make(map[string]int64, limit)
	for _, e := range entries[:limit] {
		out[e.name] = e.n
	}
	return out
}

// extend adds members to the content, in canonical form.
func extend(c *hmx.DecisionPolicy, members map[string]any) error {
	c.Extra = make(hmx.Extra, len(members))
	for name, v := range members {
		data, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("content of a policy, member %s: %w", name, err)
		}
		if data, err = hmx.Canonicalize(data); err != nil {
			return fmt.Errorf("content of a policy, member %s: %w", name, err)
		}
		c.Extra[name] = hmx.Raw(data)
	}
	return nil
}

// ReadAfter decodes what followed a tool. ok is false if the content is of another kind, or
// invalid.
func ReadAfter(c *hmx.DecisionPolicy) (a *After, ok bool) {
	a = &After{}
	if !basis(c, BasisAfter) || !member(c, memberTool, &a.Tool) || !member(c, memberChosen, &a.Chosen) || !member(c, memberStates, &a.States) {
		return nil, false
	}
	for _, chosen := range a.Chosen {
		ok = chosen.valid()
		if !ok {
			return nil, false
		}
	}
	cells := 0
	for _, s := range a.States {
		cells += len(s.Tools)
		if !counts(s.Tools) || spoken(s.Spoke) == unclear {
			return nil, false
		}
	}
	return a, len(a.Chosen) > 0 && len(a.Chosen) <= MaxChosen && len(a.States) <= MaxStates && cells <= MaxCells
}

// ReadUse decodes when a tool was called. ok is false if the content is of another kind, or
// invalid.
func ReadUse(c *hmx.DecisionPolicy) (u *Use, ok bool) {
	var chosen []Chosen
	var talk said
	u = &Use{}
	if !basis(c, BasisUse) || !member(c, memberChosen, &chosen) || !member(c, memberUses, &u.Uses) ||
		!member(c, memberSaid, &talk) || !member(c, memberTelling, &u.Telling) || len(chosen) != 1 {
		return nil, false
	}
	u.Chosen, u.User, u.Agent = chosen[0], talk.User, talk.Agent
	for _, t := range u.Uses {
		if t.Taken < 0 || t.Of < t.Taken || t.Of > maxCount {
			return nil, false
		}
	}
	return u, u.Chosen.valid() && u.User.valid() && u.Agent.valid()
}

func basis(c *hmx.DecisionPolicy, want string) bool {
	var got string
	return member(c, memberBasis, &got) && got == want
}

func member(c *hmx.DecisionPolicy, name string, v any) bool {
	raw, ok := c.Extra[name]
	return ok && json.Unmarshal([]byte(raw), v) == nil
}

func (c Chosen) valid() bool {
	return c.Tool != "" && c.Count > 0 && c.Count <= maxCount && c.Succeeded >= 0 && c.Succeeded <= c.Judged && c.Judged <= c.Count
}

func (t Talk) valid() bool {
	for _, n := range t.Words {
		if n > t.Count {
			return false
		}
	}
	return t.Count >= 0 && t.Count <= maxCount && len(t.Words) <= MaxTalk && counts(t.Words)
}

func counts(m map[string]int64) bool {
	for name, n := range m {
		if name == "" || n <= 0 || n > maxCount {
			return false
		}
	}
	return true
}

// unclear is an unknown speaker in content.
const unclear Spoke = 255

func spoken(name string) Spoke {
	for _, s := range []Spoke{Nobody, Agent, User} {
		if name == s.String() {
			return s
		}
	}
	return unclear
}

// State returns the state after a tool.
func (s *Seen) State(after string) State {
	return State{After: after, Before: s.Before, Spoke: spoken(s.Spoke), Failed: s.Failed, Listed: s.Listed}
}

// SeenIn returns a state in the form of content.
func SeenIn(s State, tools map[string]int64) Seen {
	return Seen{Before: s.Before, Spoke: s.Spoke.String(), Failed: s.Failed, Listed: s.Listed, Tools: tools}
}
