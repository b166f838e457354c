// Package memories has the commands about single records: events, sessions, memories and their
// versions, and what is counted of them.
package memories
