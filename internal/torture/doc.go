// Package torture holds the tests that run a board in real processes on a real
// disk and take the process, the system calls or the disk away from it.
//
// # How
//
// The test binary starts itself as a child. The child opens a board, works on
// it, and tells over a pipe what it is about to do and, once the call has
// returned, what was acknowledged. The parent keeps that as its ledger: what was
// acknowledged is known in a process that does not die. Then the child is killed,
// or a system call is made to fail, or the disk is full, and the directory is
// opened again and held against the ledger, and against a second reading of the
// journal that shares no code with the engine.
//
// # What is guaranteed
//
// What the tests find in order has every acknowledged record exactly once and
// byte for byte, nothing that nobody wrote, nothing of what was erased, the root
// that the bytes give by RFC 6962, and every checkpoint ever signed as a prefix.
// Children that lie prove that the judge would notice.
//
// # What is not
//
// A killed process leaves the page cache behind, so that a missing fsync goes
// unnoticed here; the crash clones of other packages are for that.
//
// # Sizes
//
// LUKASA_TEST_SIZE sets how much is tried, as package testsize explains: kills,
// deep-verify-stride, strace-faults, disk-fills, soak-events, server-kills, and seed,
// which is random otherwise and logged by a test that fails.
//
// What the machine cannot do is skipped, and the reason is told.
package torture
