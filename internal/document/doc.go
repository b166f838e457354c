// Package document reads and writes JSON documents field by field, and collects all that is wrong
// with them.
//
// # What is guaranteed
//
//   - One strict reader: names are case-sensitive, occur once in an object, and are known; text is
//     UTF-8; nothing follows.
//   - One encoding: compact JSON, fields in the order of their list, zero values left out. A
//     document lists its fields once, for both directions.
//   - All problems at once: an [InvalidError] lists field, rule and fix of each, up to 32, behind a
//     fault with the code invalid_argument. A field has one problem, the first.
//   - No error repeats a control or bidirectional control character, or more than a few words of a
//     value.
//
// The rules of texts, names, lists and ratios are here. Those of a type of document belong to its
// package.
package document
