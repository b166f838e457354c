// Package demo is a sample history, written for this project: two weeks of an agent that
// works on lantern, a made-up service for sharing photos. It fixes flaky tests, deploys,
// is told how its user wants things done, is corrected once, and sees a password that it
// should not have seen.
//
// The history is the same for everyone and never changes behind a release: what the tour
// of `lukasa demo` shows depends on it alone.
package demo

import (
	_ "embed" // for the history
	"time"
)

// History is the events, one a line.
//
//go:embed history.ndjson
var History []byte

// What the history has in it.
const (
	Tenant = "demo"
	// Session is the one under way when the history ends.
	Session = "fri-today"
	// Corrected is the key of the memory that the user corrected.
	Corrected = "said/project/job-queue"
	// Regretted is the event with the password, Password what it says.
	Regretted, Password = "tue-incident-00", "swordfish-staging-2291"
)

// Now is the time at which the history ends.
func Now() time.Time { return time.Date(2026, 6, 12, 9, 10, 0, 0, time.UTC) }

// Questions are what the tour packs for.
func Questions() []string {
	return []string{
		"TestAlbumCover is flaky. How do we fix such tests?",
		"The deploy to staging fails: migration lock timeout",
		"Which database is the job queue in?",
	}
}
