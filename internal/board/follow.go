package board

import (
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/record"
)

// Follower keeps data derived from a board, such as a cache, in step with it. The leader
// calls it in log order. A method must not wait for a write.
type Follower interface {
	// Writing is called with each record of a group before a read can see the record.
	Writing(h *record.Header)
	// Committed is called when a group is durable and visible, before it is acknowledged.
	Committed(c Commit)
	// Erasing is called before an erasure is acknowledged. When it returns, the follower
	// must not hold a copy of an erased payload, nor keep anything that was read before. An
	// error prevents the acknowledgement.
	Erasing() error
	// Rebuilt is called when another index has replaced the one in use. No other operation
	// runs meanwhile.
	Rebuilt() error
	// Purging is called before the index is rewritten. No other operation runs meanwhile.
	Purging() error
	// Close is called when the board is closed. No other operation runs any more.
	Close() error
}

// Commit describes a group to a follower.
type Commit struct {
	// Records are those that callers wrote, without imported ones.
	Records []*index.Record
}

// NopFollower does nothing. A follower that ignores most calls embeds it.
type NopFollower struct{}

func (NopFollower) Writing(*record.Header) {}
func (NopFollower) Committed(Commit)       {}
func (NopFollower) Erasing() error         { return nil }
func (NopFollower) Rebuilt() error         { return nil }
func (NopFollower) Purging() error         { return nil }
func (NopFollower) Close() error           { return nil }

// Follow adds followers, which are called in the order of addition. It must be called
// before the board is used.
func (b *Board) Follow(f ...Follower) { b.followers = append(b.followers, f...) }

// toFollowers calls each follower and returns the first error.
func (b *Board) toFollowers(call func(Follower) error) (err error) {
	for _, f := range b.followers {
		err = fault.First(err, call(f))
	}
	return err
}

// ForgetErased makes all followers drop what may have been erased.
func (b *Board) ForgetErased() error {
	b.erasures.Add(1)
	return b.toFollowers(Follower.Erasing)
}

// forgetAll makes all followers start over with another index.
func (b *Board) forgetAll() error {
	b.erasures.Add(1)
	return b.toFollowers(Follower.Rebuilt)
}
