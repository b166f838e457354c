// Package pack composes what an agent is given for one question: candidates of
// ten sections, the best of them, as far as they fit into a budget of tokens, as
// a context pack of HMX-C and as markdown.
//
// # What is guaranteed
//
//   - Purity: no clock, no chance, no I/O but what the caller's Load does. The same
//     request, state and candidates, in whatever order these come, give the same
//     pack to the last byte.
//   - The markdown counts at most the budget, by the counter that the pack names.
//     An entry that is too long is cut, with a marker; of the sections that have
//     something, each has an entry as long as there is room, the first by priority
//     first.
//   - Every candidate is an entry, or is dropped for one of the six reasons of
//     HMX-C/8; counts agree with that. Entries, drops, steps, constraints and bytes
//     keep to the limits of HMX-C/12.
//   - An entry's words are its source's own. In the markdown no text leaves its
//     quote, and what is hidden in it is seen.
//   - What does not change between two packs keeps its place in the markdown: what
//     grows with a session stands last, the newest behind the others, and nothing of
//     the question, of scores or of the time is in it.
//
// # What is not
//
// Who may see what is decided before: what is hidden, forgotten or erased must not
// be among the candidates. Relevance, trust and whether evidence is on record are
// the caller's to say.
package pack
