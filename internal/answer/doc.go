// Package answer is the JSON of answers, shared by the command line and the servers, so that
// both have the same form. docs/formats/answers.md describes it.
//
// Names are in snake case, times RFC 3339 in UTC, hashes hexadecimal. Unneeded members are
// absent, never null, except where null means none: the next page, an unknown rate.
package answer
