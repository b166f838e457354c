// Package answer is what is answered as JSON, by the command line and by servers alike, so
// that both say the same in the same shape. docs/formats/answers.md describes it.
//
// Names are in snake case, times RFC 3339 in UTC, hashes hexadecimal. What a caller does
// not need is absent, never null, but where a member says "none" by being null: the next
// page, a rate nobody knows.
package answer
