package engine

import "time"

// SetTicks makes a board measure how long something takes by another watch.
func SetTicks(b *Board, ticks func() time.Time) { b.ticks = ticks }
