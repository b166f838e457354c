package pack

import (
	"cmp"
	"encoding/json"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/quote"
)

// fewDrops is how many drops are listed if a hundred have too many bytes.
const fewDrops = 20

// inPack compares entries by their order in a pack.
func inPack(a, b *contender) int {
	return cmp.Or(cmp.Compare(a.section, b.section), cmp.Compare(b.score, a.score), cmp.Compare(a.tokens, b.tokens),
		cmp.Compare(a.source.ID, b.source.ID))
}

// remove takes an entry out again for lack of room.
func (k *composer) remove(x *contender) {
	x.kept, x.pass, x.guess = false, 0, x.tokens
	x.reject(hmx.DropBudget, nil, "")
	k.recount()
}

// size returns the exact or approximate number of tokens of x.
func (x *contender) size() int {
	switch {
	case x.kept:
		return x.tokens
	case x.guess > 0:
		return x.guess
	}
	return max(1, x.c.Known)
}

// dropped returns x as a drop.
func (x *contender) dropped() hmx.DroppedEntry {
	d := hmx.DroppedEntry{
		SourceID: x.source.ID, SourceType: x.c.Source, Section: x.c.Section, RelevanceScore: x.score,
		TokenEstimate: int64(x.size()), DropReason: x.reason, Rank: int64(x.rank),
		Extra: hmx.Extra{"uri": quoted(x.source.URI.String())},
	}
	if x.of != nil && x.of.source != nil {
		d.Extra["of"] = quoted(x.of.source.URI.String())
	}
	return d
}

// conclude sets the reason of a contender that is neither kept nor dropped.
func (k *composer) conclude(x *contender) error {
	if x.loaded {
		if ok, err := k.ready(x); !ok {
			return err
		}
	}
	x.reject(hmx.DropBudget, nil, "")
	return nil
}

// list reads dropped contenders, best first, until it has as many as a pack lists.
func (k *composer) list() error {
	k.drops = k.drops[:0]
	for _, x := range k.all {
		if len(k.drops) == hmx.MaxDroppedEntries {
			break
		}
		if x.kept || x.gone {
			continue
		}
		if !x.loaded {
			if err := k.load(x); err != nil {
				return err
			}
			if x.reason == hmx.DropBudget { // set before it was read
				if err := k.conclude(x); err != nil {
					return err
				}
			}
		}
		if x.of != nil {
			if err := k.load(x.of); err != nil {
				return err
			}
		}
		if !x.gone {
			k.drops = append(k.drops, x)
		}
	}
	number(k.all)
	return k.shorten()
}

// shorten lists fewer drops if they have more than a quarter of the bytes.
func (k *composer) shorten() error {
	for _, most := range []int{fewDrops, 0} {
		bytes := 0
		for _, x := range k.drops {
			bytes += x.dropBound()
		}
		if bytes > k.byteLimit/4 { // an upper bound, so count exactly
			var err error
			if bytes, err = k.dropBytes(); err != nil {
				return err
			}
		}
		if bytes <= k.byteLimit/4 {
			return nil
		}
		k.drops = k.drops[:min(len(k.drops), most)]
	}
	return nil
}

// dropBytes returns how many bytes the listed drops have.
func (k *composer) dropBytes() (int, error) {
	bytes := 0
	for _, x := range k.drops {
		n, err := sizeOf(x.dropped())
		if err != nil {
			return 0, err
		}
		bytes += n
	}
	return bytes, nil
}

// limit gives every contender that is not kept a reason, and holds entries and drops to their
// limits of number and bytes.
func (k *composer) limit() error {
	for _, x := range k.all {
		if x.open() {
			if err := k.conclude(x); err != nil {
				return err
			}
		}
	}
	leaving := k.leaving()
	for _, x := range leaving[:max(0, len(leaving)-hmx.MaxPackEntries)] {
		k.remove(x)
	}
	if err := k.list(); err != nil {
		return err
	}
	bound := 0
	for _, x := range k.all {
		if x.kept {
			bound += x.bound()
		}
	}
	for _, x := range k.drops {
		bound += x.dropBound()
	}
	if bound <= k.byteLimit {
		return nil
	}
	return k.shrink()
}

// leaving returns the entries in the order in which they are removed if there are too many:
// first, worst first, those that are neither pinned nor the best of their section; then pinned
// ones; then rules; at last the best of the sections, the highest priority last.
func (k *composer) leaving() []*contender {
	var order []*contender
	var first [10]*contender
	for _, x := range k.all {
		if x.kept {
			if order = append(order, x); first[x.section] == nil {
				first[x.section] = x
			}
		}
	}
	last := func(x *contender) int {
		switch {
		case first[x.section] == x:
			return 3 + len(first) - x.section
		case x.isRule():
			return 2
		case x.c.Pinned:
			return 1
		}
		return 0
	}
	slices.SortFunc(order, func(a, b *contender) int { return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(b.rank, a.rank)) })
	return order
}

// shrink removes entries in the order of leaving until they and the drops fit into the byte
// limit.
func (k *composer) shrink() error {
	kept := k.entries()
	made := make([]hmx.Entry, len(kept))
	if err := new(entryWriter).write(kept, true, made); err != nil {
		return err
	}
	sizes := map[*contender]int{}
	entries := 0
	for i, x := range kept {
		n, err := sizeOf(made[i])
		if err != nil {
			return err
		}
		sizes[x] = n
		entries += n
	}
	for {
		drops, err := k.dropBytes()
		if err != nil {
			return err
		}
		excess := entries + drops - k.byteLimit
		if excess <= 0 || entries == 0 {
			return nil
		}
		for _, x := range k.leaving() {
			if excess <= 0 {
				break
			}
			excess -= sizes[x]
			entries -= sizes[x]
			k.remove(x)
		}
		if err := k.list(); err != nil { // removed entries are among the drops now
			return err
		}
	}
}

// Bytes of the JSON of a pack.
const (
	entryBytes   = 560     // an entry without its texts, at most
	droppedBytes = 280     // a drop without its texts, at most
	slackBytes   = 2 << 10 // for parts whose size is not known yet
	leastBytes   = 16 << 10
)

// bound returns an upper bound of the bytes of x as an entry.
func (x *contender) bound() int {
	s := x.source
	return entryBytes + quote.JSONBytes(x.item.Text) + quote.JSONBytes(s.ID) + quote.JSONBytes(s.Type) + quote.JSONBytes(s.Label) + quote.JSONBytes(s.Origin) + uriBytes(s)
}

// dropBound returns an upper bound of the bytes of x as a drop.
func (x *contender) dropBound() int {
	n := droppedBytes + quote.JSONBytes(x.source.ID) + uriBytes(x.source)
	if x.of != nil && x.of.source != nil {
		n += uriBytes(x.of.source)
	}
	return n
}

// uriBytes returns an upper bound of the bytes of a source's address.
func uriBytes(s *Source) int { return 64 + 3*(len(s.URI.Tenant)+len(s.URI.ID)) }

// sizeOf returns how many bytes v has as JSON.
func sizeOf(v json.Marshaler) (int, error) {
	data, err := v.MarshalJSON()
	if err != nil {
		return 0, fault.Wrap(fault.InvalidDocument, err)
	}
	return len(data), nil
}

// measure adds hints and constraints to the pack as far as they leave room for entries, and
// computes how many bytes the entries may have.
func (k *composer) measure() error {
	p := k.pack
	n, err := sizeOf(p)
	if err != nil {
		return err
	}
	room := hmx.MaxPackBytes - n - slackBytes
	if room < leastBytes {
		return fault.Newf(fault.InvalidArgument, "query: with tags and priors it has %d bytes as JSON, which leaves no room in a pack of %d", n, hmx.MaxPackBytes).
			WithFix("shorten the query, the tags or the priors")
	}
	k.byteLimit, k.reserved = room, k.in.Counter.Count(noteWithin(k.total))
	if h := k.in.Task.hints(); h != nil {
		n, err := sizeOf(h)
		for ; err == nil && n > room/8 && len(h.SuggestedNextSteps) > 0; n, err = sizeOf(h) {
			h.SuggestedNextSteps = h.SuggestedNextSteps[:len(h.SuggestedNextSteps)-1]
		}
		if err != nil {
			return err
		}
		k.byteLimit -= n
		p.WorkflowHints = hmx.Some(*h)
		k.hints = hintsWithin(k.in.Counter, k.total, h)
		k.reserved += k.in.Counter.Count(k.hints)
	}
	rules := 0
	for _, c := range constraints(k.in.Rules) {
		n, err := sizeOf(c)
		if err != nil {
			return err
		}
		if rules+n > room/4 {
			break
		}
		rules += n
		p.DecisionConstraints = append(p.DecisionConstraints, c)
	}
	k.byteLimit -= rules + len(p.DecisionConstraints)
	return nil
}
