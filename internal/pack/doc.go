// Package pack composes the context of an agent for one question: the best candidates of ten
// sections, cut to a budget of tokens, as an HMX-C context pack and as markdown.
//
// # What is guaranteed
//
//   - Purity: no clock, no randomness, no I/O except the caller's Load. The same
//     request, state and candidates, in any order of candidates, give the same pack
//     to the last byte.
//   - The markdown has at most the budget of tokens, by the counter the pack names.
//     An entry that is too long is cut, with a marker. Each section that has
//     candidates has an entry while there is room, in order of priority. While a
//     pinned constraint of a user or an operator does not fit, no other section has
//     more than one entry.
//   - Every candidate is an entry, or is dropped for one of the six reasons of
//     HMX-C/8, and the counts agree. Entries, drops, steps, constraints and bytes
//     keep to the limits of HMX-C/12.
//   - An entry quotes its source verbatim. In the markdown no text escapes its
//     quote, no quoted line looks like one of ours, and hidden characters are shown.
//   - A text that is too long to be kept is never counted whole: time grows with the
//     number of candidates and the bytes kept, whatever the texts are.
//   - What does not change between two packs keeps its place in the markdown: the
//     part that grows with a session comes last, the newest at its end, and the
//     query, scores and the current time are not in it.
//
// # What is not
//
// Visibility is decided before: hidden, forgotten or erased records must not be among the
// candidates. The caller supplies relevance and trust, and says whether evidence is on record.
package pack
