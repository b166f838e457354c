package engine

import "time"

// Looked is how many records a board has read to find out what views show.
func Looked(b *Board) int64 { return b.sights.looked.Load() }

// ForgetSights makes a board forget what views show.
func ForgetSights(b *Board) { b.sights = newSights() }

// SetTicks makes a board measure how long something takes by another watch.
func SetTicks(b *Board, ticks func() time.Time) { b.ticks = ticks }

// KeepNoPast makes a board put the past states that packs are made of into files.
func KeepNoPast(b *Board) { b.pasts.most = 0 }

// KeepsPast reports whether a board keeps a past state that a pack was made of.
func KeepsPast(b *Board) bool { return b.pasts.kept != nil }
