// Package english reads English as users write it to agents: sentences, words and their forms,
// the operators of an order, and what an order is about.
//
// It is the one grammar under two readers. internal/statement asks whether a sentence states
// something that lasts, and internal/guide whether a planned action is one that a rule speaks of.
// Both take sentences apart here, and both ask here which words are verbs, which of them agents do,
// what denies and what insists, and who speaks.
//
//   - [Sentences] and [Split] take a text apart. A [Clause] is what is left to be read of a
//     sentence; [Clause.Cut] takes a phrase off its beginning.
//   - [Clause.Directive] reads the operators of an order in whatever order they are said ("you
//     must never", "never must you"), and returns the deed from its verb on.
//   - [Subject] and [DeedOf] give a deed the form in which rules are compared.
//   - Closed lists of words and phrases stand in the files whose names end in words. They are made
//     when they are first asked for: most processes read no sentence.
//
// Work is linear in the length of a text. Nothing depends on a clock or on chance. Only English is
// understood; of other languages a few words are known that people mix into English orders.
package english
