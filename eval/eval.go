// Package eval measures the quality of answers: on conversations with questions whose evidence
// is known, and on collections of documents with judged queries.
//
// # What is measured
//
// For conversations ([Load], [Run]): each question is asked in its own tenant. The recall at k
// is the share of its evidence among the first k hits. The recall within N tokens is the share
// of its evidence in the hits that fit into N tokens, taken in order: the first hit that does
// not fit ends the list, however small the next one is. Both are means over questions, in total
// and by category. The baseline is plain BM25 over single events, without any of the engine's
// indexes. On request the report has the result of the parts of the scores with weights fitted
// on the other tenants' questions ([Options].Fit). Packs ([Options].Pack) are measured by their
// content: the share of the evidence among the entries of a pack of N tokens, counted by the
// engine's own counter including everything around the entries.
//
// For documents ([LoadDocuments], [RunDocuments]): nDCG at 10 and the recall at 100, with
// candidates by words, by meaning, and by everything.
//
// A token is four characters of the event's own text, rounded up for each event: a measure that
// needs no tokenizer and is the same for all rankings. Budgets in the engine count real tokens
// of the text that is shown.
//
// # What is guaranteed
//
// The evaluation writes the events into a new data directory and asks the questions through the
// library, as an application would. The time of a question is that of the tenant's newest
// event. Random choices depend only on a seed, ties keep their order, and figures are rounded
// to four digits: the same data gives the same report. Neither the engine nor this package
// knows anything about the data.
//
// # What is not
//
// It does not measure whether an agent answers well with the hits, how long an answer takes, or
// whether evidence that is not listed would have been as good. A category with few questions
// varies by chance: with 44 questions, by some hundredths.
package eval

import "math"

// The values of k for the recall at k, and the budgets for the recall within tokens.
var (
	depths  = [...]int{5, 10, 20}
	budgets = [...]int{500, 1000, 2000, 4000}
)

// Figures are means over questions, from 0 to 1.
type Figures struct {
	Questions  int     `json:"questions"`
	At5        float64 `json:"recall_at_5"`
	At10       float64 `json:"recall_at_10"`
	At20       float64 `json:"recall_at_20"`
	Within500  float64 `json:"recall_within_500"`
	Within1000 float64 `json:"recall_within_1000"`
	Within2000 float64 `json:"recall_within_2000"`
	Within4000 float64 `json:"recall_within_4000"`
}

// measured is the result of one ranking for one question.
type measured struct {
	at     [len(depths)]float64
	within [len(budgets)]float64
}

// measure returns the result of a ranking: ranks are those of the evidence, and tokens those of
// its entries in order.
func measure(ranks, tokens []int) (m measured) {
	for i, k := range depths {
		m.at[i] = Recall(ranks, k)
	}
	for i, budget := range budgets {
		m.within[i] = Recall(ranks, Fitting(tokens, budget))
	}
	return m
}

// mean returns the figures of several questions.
func mean(list []measured) Figures {
	var sum measured
	for i := range list {
		for k, x := range list[i].at {
			sum.at[k] += x
		}
		for k, x := range list[i].within {
			sum.within[k] += x
		}
	}
	of := func(x float64) float64 { return rounded(x / float64(max(1, len(list)))) }
	return Figures{
		Questions: len(list), At5: of(sum.at[0]), At10: of(sum.at[1]), At20: of(sum.at[2]),
		Within500: of(sum.within[0]), Within1000: of(sum.within[1]), Within2000: of(sum.within[2]), Within4000: of(sum.within[3]),
	}
}

// rounded leaves four decimals, which are the same on all machines.
func rounded(x float64) float64 { return math.Round(x*1e4)/1e4 + 0 } // and no -0
