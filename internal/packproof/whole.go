package packproof

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/excerpt"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/catalog"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/pack"
	"lukasa.dev/internal/packer"
	"lukasa.dev/internal/record"
)

// No record shows what was removed from a pack. But ranks have no gaps, drops are listed from
// the best on, and binding rules are always included.

// ranked is the stated place of an entry or a drop among all candidates.
type ranked struct {
	name  string
	uri   string
	rank  int64
	score float64
}

// ranks returns a rank or a source that occurs twice, or a rank that does not match its
// score, or "".
func (v *verifying) ranks() string {
	var list []ranked
	for i := range v.p.Entries {
		e := &v.p.Entries[i]
		list = append(list, ranked{fmt.Sprintf("entries[%d]", i), string(e.Extra["uri"]), e.Rank, e.RelevanceScore})
	}
	for i := range v.p.DroppedEntries {
		e := &v.p.DroppedEntries[i]
		list = append(list, ranked{fmt.Sprintf("dropped_entries[%d]", i), string(e.Extra["uri"]), e.Rank, e.RelevanceScore})
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	uris := make(map[string]bool)
	for i, x := range list {
		switch {
		case x.rank < 1 || x.rank > v.p.AssemblyMetadata.CandidateCount:
			return fmt.Sprintf("%s.rank: it is %d of %d candidates", x.name, x.rank, v.p.AssemblyMetadata.CandidateCount)
		case i > 0 && (list[i-1].rank == x.rank || list[i-1].score < x.score):
			return fmt.Sprintf("%s.rank: it is not that of its score beside %s", x.name, list[i-1].name)
		case uris[x.uri]:
			return fmt.Sprintf("%s.uri: it is there twice", x.name)
		}
		uris[x.uri] = true
	}
	return ""
}

// listed returns where a candidate is missing among entries and drops, or "": all ranks must
// occur, up to that of the last drop if not all drops are listed.
func (v *verifying) listed() string {
	drops, all := v.p.DroppedEntries, v.p.TokenBudget.DroppedCount
	last := v.p.AssemblyMetadata.CandidateCount
	if n := int64(len(drops)); n < all {
		if !slices.Contains(pack.DropLists(), len(drops)) {
			return fmt.Sprintf("dropped_entries: %d of %d are listed, but all or the best hundred are", n, all)
		}
		last = 0
		for i := range drops {
			last = max(last, drops[i].Rank)
		}
	}
	there := make(map[int64]bool)
	for i := range v.p.Entries {
		there[v.p.Entries[i].Rank] = true
	}
	for i := range drops {
		there[drops[i].Rank] = true
	}
	for rank := int64(1); rank <= last; rank++ {
		if !there[rank] {
			return fmt.Sprintf("entries, dropped_entries: the candidate of rank %d is in neither", rank)
		}
	}
	return ""
}

// rules says which hard rule that held in the state of the pack is not told, or nothing.
// Under a scope it is not known which were shown.
func (v *verifying) rules(ctx context.Context) (string, error) {
	if v.request.Scope != "" {
		return "", nil
	}
	list, all, err := v.rulesThen(ctx)
	if err != nil || !all {
		return "", err
	}
	uris := make(map[string]bool)
	for i := range v.p.Entries {
		uris[string(v.p.Entries[i].Extra["uri"])] = true
	}
	for i := range v.p.DroppedEntries {
		uris[string(v.p.DroppedEntries[i].Extra["uri"])] = true
	}
	complete := int64(len(v.p.DroppedEntries)) == v.p.TokenBudget.DroppedCount
	for _, x := range list {
		where, err := v.PlaceOf(ctx, x.Head, x.Body)
		if err != nil {
			return "", err
		}
		uri := excerpt.URIOf(v.Tenant.Name, x.Head)
		if complete && v.request.Includes(where.Section) && !uris[string(pack.Quoted(uri.String()))] {
			return fmt.Sprintf("entries: %s binds, and is neither among them nor among the drops", uri), nil
		}
		rule, ok := v.ruleThen(x)
		if p, is := x.Body.(*memory.Policy); is && (len(p.Scope.Types) > 0 || p.Scope.KeyPrefix != "") {
			ok = false // that depends on the candidates
		}
		if ok {
			erased, err := v.DerivedFromErased(x.Body)
			if err != nil {
				return "", err
			}
			ok = !erased
		}
		if ok && pack.Untold(v.p, rule) {
			return fmt.Sprintf("decision_constraints: %s binds, and is not among them", uri), nil
		}
	}
	return "", nil
}

// rulesThen returns the hard rules of users and operators that held in the state of the pack
// for the reader of the pack, as far as they are still on record, and whether these are all
// that a pack considers.
func (v *verifying) rulesThen(ctx context.Context) (list []excerpt.Item, all bool, err error) {
	for _, k := range []record.Kind{record.Memory, record.Policy} {
		for _, state := range []catalog.State{catalog.Live, catalog.Forgotten, catalog.Expired} {
			var ids []string
			looked := 0
			var failed error
			err := catalog.List(v.Reader, v.Tenant.Number, catalog.All(k, state), nil, func(_ []byte, d catalog.Thing) bool {
				if looked++; looked%256 == 0 {
					failed = ctx.Err()
				}
				var h *catalog.Head
				if failed == nil {
					h, _, failed = catalog.HeadOf(v.Reader, v.Tenant.Number, k, d)
				}
				if h != nil && ruleClass(h) {
					ids = append(ids, h.ID)
				}
				return failed == nil && looked < excerpt.MaxWalked && len(ids) <= packer.MaxPolicies
			})
			if err := fault.First(failed, err); err != nil {
				return nil, false, err
			}
			if looked == excerpt.MaxWalked || len(ids) > packer.MaxPolicies {
				return nil, false, nil
			}
			for _, id := range ids {
				if list, err = v.addRuleThen(list, k, id); err != nil {
					return nil, false, err
				}
			}
		}
	}
	return list, len(list) <= hmx.MaxPackEntries, nil
}

// ruleClass reports whether a record may be a rule, by its class.
func ruleClass(h *catalog.Head) bool {
	if h.Kind == record.Memory {
		return h.Class == string(memory.TypeConstraint)
	}
	return h.Class == string(memory.PolicyConstraint) || h.Class == string(memory.PolicyInstruction)
}

// addRuleThen appends a record if it was a valid hard rule.
func (v *verifying) addRuleThen(list []excerpt.Item, k record.Kind, id string) ([]excerpt.Item, error) {
	if _, content, err := v.history(k, id); err != nil || content < 0 {
		return list, err
	}
	x, unknown, err := v.then(k, id)
	if err != nil || unknown != "" {
		return list, err
	}
	hidden, err := v.hiddenSince(memory.URI{Kind: k, ID: id})
	if !hidden && ruleClass(x.Head) && x.Body.Facets().Pin && x.Head.Trust >= record.User && v.holds1(x) == "" {
		list = append(list, x)
	}
	return list, err
}
