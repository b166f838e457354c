package pack

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/quote"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// lead is by how much the support of a candidate must exceed that of all others to win a
// conflict.
const lead = 1e-9

// settle drops candidates before their texts are read: those that no longer hold, are not
// relevant enough, or repeat or contradict a better one.
func (k *composer) settle() {
	least := k.in.Request.MinRelevance.Or(DefaultMinRelevance)
	for _, x := range k.all {
		c := x.c
		switch {
		case x.gone:
		case c.Deprecated != "":
			x.reject(hmx.DropDeprecated, nil, c.Deprecated)
		case !c.Pinned && x.parts.Relevance < least:
			x.reject(hmx.DropRelevance, nil, "")
		case x.isRule(): // a similar event or rule does not replace a rule
		default:
			if first := k.at(c.SameAs - 1); first != nil && first.left() && first.rank < x.rank {
				x.reject(hmx.DropDuplicate, first, "")
			}
		}
	}
	conflicts := slices.Clone(k.in.Conflicts)
	slices.SortStableFunc(conflicts, func(a, b Conflict) int { return cmp.Compare(a.ID, b.ID) })
	for i := range conflicts {
		k.decide(&conflicts[i])
	}
}

// at returns the contender of the candidate at index i, nil if there is none.
func (k *composer) at(i int) *contender {
	if i < 0 || i >= len(k.byIndex) {
		return nil
	}
	return k.byIndex[i]
}

// left reports whether x may still become an entry, as far as known.
func (x *contender) left() bool { return x.reason == "" && !x.unfit() }

// decide drops the losers of a conflict. A rule loses only if a user or an operator decided so;
// otherwise every writer of conflicts could remove rules.
func (k *composer) decide(c *Conflict) {
	var sides []*contender
	for _, i := range c.Between {
		if x := k.at(i); x != nil && x.left() && !slices.Contains(sides, x) {
			sides = append(sides, x)
		}
	}
	if len(sides) < 2 {
		return
	}
	winner := k.at(c.Winner - 1)
	if c.Winner == 0 {
		winner = strongest(sides)
	}
	if winner == nil || !slices.Contains(sides, winner) {
		return
	}
	for _, x := range sides {
		if x != winner && (!x.isRule() || c.Winner != 0 && c.Trust >= record.User) {
			x.reject(hmx.DropConflict, winner, c.ID)
		}
	}
}

// strongest returns the contender with clearly the most support, nil if there is none.
func strongest(sides []*contender) *contender {
	best := slices.MaxFunc(sides, func(a, b *contender) int { return cmp.Compare(a.parts.Provenance, b.parts.Provenance) })
	for _, x := range sides {
		if x != best && !(best.parts.Provenance-x.parts.Provenance > lead) {
			return nil
		}
	}
	return best
}

// load reads x unless it has been read.
func (k *composer) load(x *contender) error {
	if x.loaded {
		return nil
	}
	x.loaded = true
	s := new(Source)
	switch err := k.in.Load(x.c, s); {
	case errors.Is(err, ErrGone):
		x.gone = true
	case err != nil:
		return err
	default:
		s.Prepare()
		if x.source = s; s.Origin == "" {
			s.Origin = OriginOf(x.c.Kind)
		}
	}
	return nil
}

// Prepare does what Compose does with every source once it is loaded: it makes its texts valid
// UTF-8 and computes the words it is compared by. A caller that loads sources concurrently may
// call it in advance, and must not change the source afterwards.
func (s *Source) Prepare() {
	if s.words != nil {
		return
	}
	for _, text := range []*string{&s.ID, &s.Type, &s.Label, &s.Text, &s.Origin} {
		if !utf8.ValidString(*text) {
			*text = strings.ToValidUTF8(*text, "\uFFFD")
		}
	}
	s.Label = clip(s.Label, labelBytes)
	s.words = wordsOf(s.Text)
}

// Write does what Compose does with a source that is quoted whole: it writes its lines and
// counts them by the counter of the request. A caller that loads sources concurrently may call
// it on a prepared source if the quote is known or likely to be limited to most tokens. known
// is an earlier count of the lines, 0 if there is none. Write returns the count, 0 if the lines
// were not written.
func (s *Source) Write(c *Candidate, counter tokens.Counter, most, known int) int {
	if !s.fits(most) {
		return 0
	}
	it := Item{c.Section, s.ID, s.Label, s.Text, c.Time, c.Trust}
	s.whole = lines{section: c.Section, text: it.lines()}
	if s.whole.tokens = known; known == 0 {
		s.whole.tokens = counter.Count(s.whole.text)
	}
	return s.whole.tokens
}

// fits reports whether the whole text may be quoted within most tokens.
func (s *Source) fits(most int) bool {
	// A token has at least one byte.
	few := len(s.Text) <= most || s.Tokens > 0 && s.Tokens <= most
	return few && quote.Fits(s.Text, most) && quote.Visible(s.Text) == s.Text
}

// ready reads x and reports whether it may be kept. Its evidence must verify, and no kept text
// may say the same. A rule is a duplicate only of an identical rule, since rules that differ in
// a word are two rules.
func (k *composer) ready(x *contender) (bool, error) {
	if err := k.load(x); err != nil {
		return false, err
	}
	if x.gone {
		return false, nil
	}
	if x.source.Unproven != "" {
		x.reject(hmx.DropProvenance, nil, x.source.Unproven)
		return false, nil
	}
	if first := k.texts.find(x); first != nil {
		x.reject(hmx.DropDuplicate, first, "")
		return false, nil
	}
	return true, nil
}

// kin are the kept texts, searched for duplicates.
type kin []*contender

// find returns the best of those that nearly repeat y, nil if none does.
func (k kin) find(y *contender) (best *contender) {
	w, rule := y.source.words, y.isRule()
	for _, x := range k {
		if rule && (!x.isRule() || w.whole != x.source.words.whole) {
			continue
		}
		if (best == nil || x.rank < best.rank) && x.source.words.same(w) {
			best = x
		}
	}
	return best
}
