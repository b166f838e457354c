// Package torture holds the tests that run a board in real processes on a real disk,
// and kill the process, fail its system calls or fill the disk.
//
// # How
//
// The test binary starts itself as a child. The child opens a board, works on it, and
// writes to a pipe what it is about to do and, once the call has returned, what was
// acknowledged. The parent keeps that as its ledger: the acknowledgements are known
// in a process that survives. Then the child is killed, or a system call is made to
// fail, or the disk is full. The parent opens the directory again and compares it
// with the ledger, and with a second reading of the journal that shares no code with
// the engine.
//
// # What is guaranteed
//
// A directory that passes holds every acknowledged record exactly once and byte for
// byte, nothing that was not written, nothing that was erased, the root that the
// bytes give by RFC 6962, and every checkpoint ever signed as a prefix. Children that
// lie prove that the judge would notice.
//
// # What is not
//
// A killed process leaves the page cache behind, so that these tests do not notice a
// missing fsync; the crash clones of other packages do.
//
// # Sizes
//
// LUKASA_TEST_SIZE sets how much is tried, as package testsize explains: kills,
// deep-verify-stride, strace-faults, disk-fills, soak-events, server-kills, and seed,
// which is random otherwise and logged by a test that fails.
//
// Tests that the machine cannot run are skipped with the reason.
package torture
