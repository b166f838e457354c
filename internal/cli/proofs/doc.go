// Package proofs has the commands that prove and maintain a board: root, prove, verify, expire and
// rebuild.
package proofs
