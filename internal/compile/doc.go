// Package compile turns what sessions did into what to do: it reads their traces and
// makes artifacts of what recurs in them.
//
// It guarantees that the same traces, in whatever order, give the same artifacts,
// byte for byte; that what it makes is bounded whatever the traces hold; and that no
// text of a tool becomes advice. It is pure: no clock, no disk, no state.
//
// [Mine] makes drafts of all traces of a tenant. [Merge] compares drafts with the
// artifacts that are known and says what becomes of each: made, replaced by a next
// version, put out of use, or left alone.
//
// # How versions stay few
//
// A version is made when content changes. So that it does not change with every
// event, whatever is mined counts the first moments of its own evidence only: all up
// to [exact], beyond that the largest of 10, 12, 14, 16, 20, 24, 28, 32, 40 and so
// on that there are. Evidence in journal order only grows at its end, so the same
// events are counted until the next step is reached, in whatever portions they came.
//
// docs/compile.md has the rules and formulas of every type.
package compile
