package scope

import (
	"slices"
	"strings"
	"time"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"
)

// Access is what a verified token allows. It is immutable and safe for concurrent use. A nil
// *Access is no scope and allows everything.
type Access struct {
	bounds
	grants []Grant
	rules  []rule
	sealed bool
}

// bounds are the limits of a chain besides visibility. They only shrink.
type bounds struct {
	id, tenant, by, to string
	mode               Mode
	budget             int
	notBefore, expires time.Time
	trust              record.Trust
}

// rule is the compiled form of one block.
type rule struct {
	pinned           bool // pinned records are allowed regardless of include
	include, exclude []list
}

// list is one list of a block.
type list struct {
	of    listKind
	words []string  // sorted
	frame []pattern // of frames
}

// listKind is the subject of a list.
type listKind uint8

const (
	byType listKind = iota
	byTag
	byID
	byFrame
	bySection
	bySession
)

// pattern matches one frame, or all frames with a prefix.
type pattern struct {
	text  string
	begin bool
}

// Allows reports whether a subject is visible and, if the scope may write at all, writable.
// Records that the board writes for itself are visible only without a scope.
func (a *Access) Allows(s *Subject) bool {
	if a == nil {
		return true
	}
	if boards(s.Kind) {
		return false
	}
	for i := range a.rules {
		if !a.rules[i].allows(s) {
			return false
		}
	}
	return true
}

// boards reports whether the board writes records of a kind for itself: violations, embeddings
// and refinements.
func boards(k record.Kind) bool {
	return k == record.Violation || k == record.Embedding || k == record.Refinement
}

// AllowsWrite reports whether a subject may be written, if the scope may write at all. It is
// stricter than Allows for a subject with several frames or tags: all of them must be on the
// lists, since it will be found by each. Being pinned gives no right to write.
func (a *Access) AllowsWrite(s *Subject) bool {
	if a == nil {
		return true
	}
	bare := *s
	bare.Pinned = false
	if !a.Allows(&bare) {
		return false
	}
	for i := range a.rules {
		for j := range a.rules[i].include {
			if !a.rules[i].include[j].covers(s) {
				return false
			}
		}
	}
	return true
}

// covers reports whether everything by which a subject is found is on the list.
func (l *list) covers(s *Subject) bool {
	switch l.of {
	case byTag:
		return !slices.ContainsFunc(s.Tags, func(tag string) bool { return !l.names(tag) })
	case byFrame:
		return !slices.ContainsFunc(s.Frames, func(frame string) bool { return !l.fits(frame) })
	}
	return true
}

func (r *rule) allows(s *Subject) bool {
	if r.pinned && !s.Pinned && len(r.include) == 0 {
		return false // pinned records only
	}
	for i := range r.include {
		if !(r.pinned && s.Pinned) && !r.include[i].has(s) {
			return false
		}
	}
	for i := range r.exclude {
		if r.exclude[i].has(s) {
			return false
		}
	}
	return true
}

// has reports whether a subject is on the list.
func (l *list) has(s *Subject) bool {
	switch l.of {
	case byType:
		return l.names(s.Type)
	case byTag:
		return slices.ContainsFunc(s.Tags, l.names)
	case byID:
		return l.names(s.ID)
	case byFrame:
		return slices.ContainsFunc(s.Frames, l.fits)
	case bySection:
		return l.names(s.Section)
	default:
		return l.names(s.Session)
	}
}

func (l *list) names(word string) bool {
	_, ok := slices.BinarySearch(l.words, word)
	return ok
}

func (l *list) fits(frame string) bool {
	for _, p := range l.frame {
		if frame == p.text || p.begin && strings.HasPrefix(frame, p.text) {
			return true
		}
	}
	return false
}

// Everything reports whether the scope shows everything that a scope can show.
func (a *Access) Everything() bool {
	if a == nil {
		return true
	}
	for _, r := range a.rules {
		if r.pinned || len(r.include)+len(r.exclude) > 0 {
			return false
		}
	}
	return true
}

// MayHoldSession reports whether the scope may show anything of a session. It is fast and may
// have false positives.
func (a *Access) MayHoldSession(session string) bool {
	if a == nil {
		return true
	}
	for _, r := range a.rules {
		if r.pinned && len(r.include) == 0 {
			return false // nothing of a session is pinned
		}
		for i := range r.include {
			if r.include[i].of == bySession && !r.include[i].names(session) {
				return false
			}
		}
		for i := range r.exclude {
			if r.exclude[i].of == bySession && r.exclude[i].names(session) {
				return false
			}
		}
	}
	return true
}

// At refuses a token that has expired, or is not valid yet, at a time.
func (a *Access) At(now time.Time) error {
	if a != nil && now.Before(a.notBefore) {
		return invalid("it is not good before %s", a.notBefore.Format(time.RFC3339)).WithFix("wait until then")
	}
	return a.NotOver(now)
}

// NotOver refuses a token that has expired at a time.
func (a *Access) NotOver(now time.Time) error {
	if a != nil && !now.Before(a.expires) {
		return fault.Newf(fault.ScopeExpired, "scope token: it was over at %s", a.expires.Format(time.RFC3339))
	}
	return nil
}

// MayWrite reports whether the scope may write what it may see.
func (a *Access) MayWrite() bool { return a == nil || a.mode == Write }

// Budget returns the maximum number of tokens of an answer, or 0 for no limit.
func (a *Access) Budget() int {
	if a == nil {
		return 0
	}
	return a.budget
}

// Trust returns the maximum trust of what is written under the scope.
func (a *Access) Trust() record.Trust {
	if a == nil {
		return record.Operator
	}
	return a.trust
}

// Agent returns the agent that the last block grants to, or "" for no scope.
func (a *Access) Agent() string {
	if a == nil {
		return ""
	}
	return a.to
}

// ID returns the id of the minted token, or "" for no scope. All tokens narrowed from one share
// it.
func (a *Access) ID() string {
	if a == nil {
		return ""
	}
	return a.id
}

// Tenant returns the tenant of the scope, or "" for no scope.
func (a *Access) Tenant() string {
	if a == nil {
		return ""
	}
	return a.tenant
}

// Expires returns when the scope expires, exclusive, or the zero time for no scope.
func (a *Access) Expires() time.Time {
	if a == nil {
		return time.Time{}
	}
	return a.expires
}

// NotBefore returns when the scope becomes valid, or the zero time if it has no such limit.
func (a *Access) NotBefore() time.Time {
	if a == nil {
		return time.Time{}
	}
	return a.notBefore
}

// By returns who granted the first block.
func (a *Access) By() string {
	if a == nil {
		return ""
	}
	return a.by
}

// Grants returns the grants of the blocks, first to last.
func (a *Access) Grants() []Grant {
	if a == nil {
		return nil
	}
	return cloneGrants(a.grants)
}

// Sealed reports whether the token cannot be narrowed further.
func (a *Access) Sealed() bool { return a != nil && a.sealed }

// accessOf returns what a chain of grants allows, without checking signatures.
func accessOf(grants []Grant) (*Access, error) {
	b, err := chain(grants)
	if err != nil {
		return nil, err
	}
	a := &Access{bounds: b, grants: grants}
	for i := range grants {
		a.rules = append(a.rules, ruleOf(&grants[i]))
	}
	return a, nil
}

// ruleOf compiles a grant.
func ruleOf(g *Grant) rule {
	return rule{pinned: g.Include.Pinned, include: listsOf(&g.Include), exclude: listsOf(&g.Exclude)}
}

func listsOf(s *Selectors) []list {
	var out []list
	for _, l := range s.lists() {
		if len(*l.items) == 0 {
			continue
		}
		made := list{of: l.of, words: *l.items}
		if l.of == byFrame {
			for _, item := range *l.items {
				made.frame = append(made.frame, patternOf(item))
			}
		}
		out = append(out, made)
	}
	return out
}

// patternOf parses a valid frame selector.
func patternOf(selector string) pattern {
	if begin, ok := strings.CutSuffix(selector, "*"); ok {
		return pattern{begin, true}
	}
	if !strings.Contains(selector, "=") {
		return pattern{selector + "=", true}
	}
	return pattern{selector, false}
}
