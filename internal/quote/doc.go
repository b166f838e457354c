// Package quote writes recorded texts into what a model or a person reads, as quotes.
//
// # What is guaranteed
//
//   - Hidden characters are written out: what a reader sees is all that a model sees.
//   - A text between fences cannot close its fence. None of its lines looks like an item, a
//     heading or a day, and where items have speakers, none begins with the name of another.
//   - A text outside of fences has no effect as markdown: no heading, list, link, picture or
//     HTML.
//   - A cut text is a verbatim part of the whole, with a marker for each omission, and has at
//     most the given number of tokens. No word and no character is split, except in a run of
//     more than a thousand bytes without a break. A long text is never counted whole.
//   - A fence depends on its seed and its place alone as long as the texts allow it, so that
//     added texts do not change it.
//
// All functions are pure. The package does not decide which texts may be shown outside of
// fences; callers do, by the trust of a record.
package quote
