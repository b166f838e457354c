// Package english reads English as users write it to agents: sentences, words and their forms,
// the operators of an order, and what an order is about.
//
// It is the one grammar of two readers. internal/statement decides whether a sentence states
// something that lasts, and internal/guide whether a rule applies to a planned action. Both parse
// sentences with it, and both use its tables of verbs, of acts of agents, of negation and
// emphasis, and of speakers.
//
//   - [Sentences] and [Split] split a text. A [Clause] is the rest of a sentence that is not read
//     yet; [Clause.Cut] takes a phrase off its beginning.
//   - [Clause.Directive] reads the operators of an order in any order ("you must never", "never
//     must you"), and returns the deed from its verb on.
//   - [Subject] and [DeedOf] give a deed the form in which rules are compared.
//   - Closed lists of words and phrases are in the files whose names end in words. They are built
//     at their first use: most processes read no sentence.
//
// Work is linear in the length of a text. Nothing depends on a clock or on random numbers. The
// package understands only English, and a few words of other languages that people mix into
// English orders.
package english
