// Package questions has the commands that ask a board something in words or by predicates: context,
// find, pack, explain, check and next.
package questions
