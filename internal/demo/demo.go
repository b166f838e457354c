// Package demo is a sample history, written for this project: two weeks of an agent that works
// on lantern, a fictional photo-sharing service. It fixes flaky tests, deploys, gets
// instructions from its user, is corrected once, and sees a password that it should not have
// seen.
//
// The history never changes within a release: the tour of `lukasa demo` depends on it alone.
package demo

import (
	_ "embed" // for the history
	"time"
)

// History is the events, one per line.
//
//go:embed history.ndjson
var History []byte

// Names in the history.
const (
	Tenant = "demo"
	// Session is the session that is running when the history ends.
	Session = "fri-today"
	// Corrected is the key of the memory that the user corrected.
	Corrected = "said/project/job-queue"
	// Regretted is the event with the password, and Password is the password.
	Regretted, Password = "tue-incident-00", "swordfish-staging-2291"
)

// Now is the time at which the history ends.
func Now() time.Time { return time.Date(2026, 6, 12, 9, 10, 0, 0, time.UTC) }

// Questions are the questions of the tour's packs.
func Questions() []string {
	return []string{
		"TestAlbumCover is flaky. How do we fix such tests?",
		"The deploy to staging fails: migration lock timeout",
		"Which database is the job queue in?",
	}
}
