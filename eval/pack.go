package eval

import (
	"cmp"
	"context"
	"slices"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
)

// RowPack is the row of packs. Its tokens are real tokens of the whole text of a pack.
const RowPack = "pack"

// pack requests a pack of each budget, and measures the share of the evidence in it. The recall
// at k is that of the largest, with its entries in the order of their ranks.
func (q *asked) pack(ctx context.Context, b *board) error {
	for i, budget := range budgets {
		packed, err := b.Tenant(q.Tenant, lukasa.Writer{}).Pack(ctx, lukasa.PackOptions{
			Query: q.Question.Question, Budget: budget, View: lukasa.View{Now: q.tenant.Newest},
		})
		if err != nil {
			return fault.Newf(fault.CodeOf(err), "question %q of %q: %w", q.Question.Question, q.Tenant, err)
		}
		if used := packed.Pack.TokenBudget.Used; used > int64(budget) {
			return fault.Newf(fault.Internal, "question %q of %q: a pack of %d tokens has %d", q.Question.Question, q.Tenant, budget, used)
		}
		ids := packedIDs(packed.Pack)
		ranks := Ranks(ids, q.Evidence)
		q.packed.within[i] = Recall(ranks, len(ids))
		for k, depth := range depths {
			q.packed.at[k] = Recall(ranks, depth)
		}
	}
	return nil
}

// packedIDs returns the events of a pack, the best ranked first.
func packedIDs(p *lukasa.Pack) []string {
	entries := slices.Clone(p.Entries)
	slices.SortStableFunc(entries, func(a, b hmx.Entry) int { return cmp.Compare(a.Rank, b.Rank) })
	ids := make([]string, 0, len(entries))
	for i := range entries {
		if entries[i].SourceType == hmx.SourceEpisode {
			ids = append(ids, entries[i].SourceID)
		}
	}
	return ids
}
