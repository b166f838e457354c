// Package scope implements capability tokens that an agent can narrow and pass on to a
// sub-agent. A token limits what its holder sees and writes.
//
// A token is a chain of blocks. The board signs the first; each further block is signed by the
// key whose public half is in the block before it. The token ends with the secret of the last
// such key, so that its holder can add a block offline, or with a seal, so that no one can.
// Each block states what it allows, and the token allows what every block allows.
// docs/formats/scope.md describes the bytes.
//
// # What is guaranteed
//
//   - Narrowing never widens: what a longer chain allows, in what it shows, writes,
//     spends, trusts and how long, each of its prefixes allows.
//   - A token is tamper-proof: blocks cannot be changed, dropped, reordered or
//     taken from another token without the secrets, and there is one spelling of
//     each token.
//   - Names stay below their giver: the agent of a block is the agent of the block
//     before it, or below that name, as coder/tests is below coder. So narrowing
//     never yields another agent's name, and with it what is private to that agent.
//   - Purity: no clock and no state. Keys are drawn from crypto/rand.
//   - Errors reveal nothing about a board, and no secret.
//
// # What is not
//
// A token is a bearer token: any holder may use it. It cannot be revoked individually; it
// expires, or ends with all others when the board gets a new key. A [Subject] is trusted: the
// caller must make it from recorded data. [Parse] and [Token.Grants] verify nothing;
// [Token.Verify] does.
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

// Grant is the content of one block of a token. The first block requires To, Expires and
// Include; what a later block leaves out is unchanged.
type Grant struct {
	ID     string // of the token, in the first block; made if empty
	Tenant string // only in the first block
	By     string // the grantor; in later blocks the agent of the block before
	To     string // the agent; in later blocks a name below that of the block before
	Mode   Mode   // empty means read in the first block
	// Include is what is allowed, and Exclude is what is not, regardless of Include.
	Include, Exclude Selectors
	BudgetTokens     int          // maximum tokens of an answer; 0 is no limit of its own
	NotBefore        time.Time    // when it becomes valid; zero means immediately
	Expires          time.Time    // when it expires, exclusive
	Trust            record.Trust // maximum trust of what it writes; zero means agent in the first block
}

// Selectors are lists that select subjects. Include requires a subject to be on every given
// list; Exclude, on any. A subject is on a list if one of the items matches.
type Selectors struct {
	All bool // everything; alone, and in Include only
	// Pinned selects what every agent receives at its start, on the lists or not; in Include
	// only. It applies to reading: writing needs the lists.
	Pinned   bool
	Types    []string // see [Types]
	Tags     []string
	IDs      []string // of records and events of any kind
	Frames   []string // verb:kind=ref, verb:kind=prefix* or verb:kind
	Sections []string // of HMX-C
	Sessions []string // of events and feedback
}
