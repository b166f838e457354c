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
//     first. While a pinned constraint of a user or an operator is left out for want
//     of room, no other section has more than one.
//   - Every candidate is an entry, or is dropped for one of the six reasons of
//     HMX-C/8; counts agree with that. Entries, drops, steps, constraints and bytes
//     keep to the limits of HMX-C/12.
//   - An entry's words are its source's own. In the markdown no text leaves its
//     quote, no line of it looks like one of ours, and what is hidden in it is seen.
//   - No text is counted as a whole that is too long to be kept: time grows with the
//     number of candidates and the bytes that are kept, whatever the texts are.
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
