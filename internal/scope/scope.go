// Package scope is who may see and write what: capability tokens that an agent
// hands on to a sub-agent.
//
// A token is a chain of blocks. The first is signed by the board; each further
// one by the key whose public half the block before it names. The token ends
// with the secret of the last such key, so that whoever holds it can add a
// block without asking anybody, or with a seal, so that nobody can. Each block
// says what it allows, and what is allowed is what every block allows. The
// bytes are described in docs/formats/scope.md.
//
// # What is guaranteed
//
//   - No chain of narrowing widens: what a longer chain allows, in what it
//     shows, writes, spends, trusts and how long, every beginning of it allows.
//   - A token is as it was made: blocks cannot be changed, dropped, reordered
//     or taken from another token without the secrets, and there is one
//     spelling of it.
//   - Names stay below their giver: the agent of a block is the agent of the
//     block before it, or below that name, as coder/tests is below coder. So
//     narrowing gives nobody another agent's name, and with it what is private
//     to that agent.
//   - Purity: no clock and no state. Keys are drawn from crypto/rand.
//   - Errors show nothing of a board, and no secret.
//
// # What is not
//
// A token is a bearer's: whoever has it may use it. It cannot be taken back
// one at a time; it ends by itself, or with all others when the board gets a
// new key. What is said about a subject is believed: whoever makes a [Subject]
// must make it from what is recorded. [Parse] and [Token.Grants] verify
// nothing; [Token.Verify] does.
package scope

import (
	"time"

	"lukasa.dev/internal/record"
)

// Limits of a token.
const (
	MaxText   = 16 << 10 // bytes of its text
	MaxBlocks = 16
	MaxItems  = 64                   // of one list of selectors
	MaxBudget = 1 << 30              // tokens
	MaxLife   = 366 * 24 * time.Hour // of a token, when it is minted
)

// Mode says whether a scope may write.
type Mode string

// The modes.
const (
	Read  Mode = "read"
	Write Mode = "write"
)

// Modes lists the modes.
func Modes() []Mode { return []Mode{Read, Write} }

// Grant is what one block of a token says. In the first block To, Expires and
// Include must be given; what a later block leaves out stays as it was.
type Grant struct {
	ID     string // of the token, in the first block; made if empty
	Tenant string // in the first block, and nowhere else
	By     string // who grants; in later blocks the agent of the block before
	To     string // the agent; in later blocks a name below that of the block before
	Mode   Mode   // empty is read in the first block
	// Include says what is allowed and Exclude what is not, whatever Include
	// says.
	Include, Exclude Selectors
	BudgetTokens     int          // most tokens of an answer; 0 is no limit of its own
	NotBefore        time.Time    // first moment at which it is good; zero is at once
	Expires          time.Time    // first moment at which it is over
	Trust            record.Trust // most that what it writes is trusted; zero is agent in the first block
}

// Selectors are lists that pick subjects. To be picked by Include, a subject
// must be on every list that is given; to be picked by Exclude, on any. It is on
// a list if one of the items fits.
type Selectors struct {
	All bool // everything; alone, and in Include only
	// Pinned picks what every agent is told at its start, be it on the lists or
	// not; in Include only. It is for reading: whoever writes needs the lists.
	Pinned   bool
	Types    []string // see [Types]
	Tags     []string
	IDs      []string // of things and events of any kind
	Frames   []string // verb:kind=ref, verb:kind=prefix* or verb:kind
	Sections []string // of HMX-C
	Sessions []string // of events and feedback
}
