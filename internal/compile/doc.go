// Package compile derives artifacts from the traces of sessions: it finds what recurs in them.
//
// It guarantees that the same traces, in any order, give the same artifacts, byte for byte;
// that its output is bounded for any input; and that no text from a tool becomes advice. It is
// pure: no clock, no disk, no state.
//
// [Mine] makes drafts from all traces of a tenant. [Merge] compares drafts with the existing
// artifacts and decides about each: create, supersede by a new version, deprecate, or leave
// unchanged.
//
// # How versions stay few
//
// A change of content makes a version. So that content does not change with every event, each
// finding counts only the first moments of its own evidence: all up to [exact], beyond that the
// largest available of 10, 12, 14, 16, 20, 24, 28, 32, 40 and so on. Evidence in journal order
// only grows at its end, so the same events are counted until the next step is reached, in
// whatever batches they came.
//
// docs/compile.md has the rules and formulas of every type.
package compile
