// Package eval measures how good the answers are: on conversations with questions
// whose evidence is known, and on collections of documents with queries whose
// answers were judged.
//
// # What is measured
//
// Of conversations ([Load], [Run]): each question is asked in its own tenant. The
// recall at k is the share of its evidence among the first k hits. The recall within
// N tokens is the share of its evidence in what an agent gets to read if it is given
// the hits in order while they fit: the first that does not fit ends it, however
// small the next one is. Both are means over questions, over all and by category.
// Beside it stands plain BM25 over single events, without any of the engine's
// indexes, and on request what the parts of the scores reach with weights that were
// fitted on the other tenants' questions ([Options].Fit). Packs ([Options].Pack) are
// measured by what is inside: the share of the evidence among the entries of a pack of
// so many tokens, counted by the engine's own counter and with everything that stands
// around the entries.
//
// Of documents ([LoadDocuments], [RunDocuments]): nDCG at 10 and the recall at 100,
// with candidates by words, by meaning, and by everything.
//
// A token is four characters of the event's own text, rounded up for each event: a
// measure that needs no tokenizer and is the same for all who rank. It is not that
// of budgets in the engine, which count real tokens of the text that is shown.
//
// # What is guaranteed
//
// The events go into a new data directory through the library, and the questions are
// asked through it, as an application would. The time of a question is that of the
// tenant's newest event. Nothing is drawn by chance but what a seed decides, equal
// scores keep their order, and figures are rounded to four digits: the same data has
// the same report. Nothing of the data is known to the engine or to this package.
//
// # What is not
//
// Whether an agent answers well with what it was handed, how long an answer takes,
// and whether evidence that nobody noted down would have done as well. A category
// with few questions moves by chance: with 44 questions, by some hundredths.
package eval

import "math"

// For which k the recall at k is told, and for which tokens the recall within them.
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

// measured is what one ranking reached for one question.
type measured struct {
	at     [len(depths)]float64
	within [len(budgets)]float64
}

// measure returns what a ranking reaches: the ranks of the evidence in it, and the
// tokens of its entries in order.
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

// rounded leaves four digits behind the point, which are the same on all machines.
func rounded(x float64) float64 { return math.Round(x*1e4)/1e4 + 0 } // and no -0
