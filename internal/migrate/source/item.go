package source

import (
	"context"
	"io"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/echo"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// MaxPiece is the size of the longest line, or element of an array, that is read. A longer one
// is skipped without being held in memory.
const MaxPiece = 32 << 20

// Source is one file or stream.
type Source struct {
	// Name is the base name of the file, which stands in the provenance. A stream
	// has none.
	Name string
	// Path is where it is below the directory that is read, with slashes. It is the
	// name if it was named itself.
	Path string
	// Modified is the time of what the source gives no time for.
	Modified time.Time
	Reader   io.Reader
}

// Options says how a source is read.
type Options struct {
	// Tenant is the tenant of what is made.
	Tenant string
	// Move puts events that name their tenant themselves into Tenant as well.
	Move bool
	// Agent is the agent of spans that name none. Empty means the name of the program in the
	// trace.
	Agent string
	// Project returns what people call the project of a working directory, and its identity.
	// Nil knows none.
	Project func(dir string) (name, id string)
	// Own recognises text that the board handed out, which is left out. Nil recognises none.
	Own *echo.Marker
}

// Item is one unit of a source: an event, or a memory, entity or relation.
type Item struct {
	Event *hmx.Event
	Body  memory.Body
	// Ceiling is the most that the item may be trusted, whichever caller imports it: a prompt
	// that one agent wrote for another is not the word of a person. Zero sets no bound.
	Ceiling record.Trust
	// Retold says that the source may contain the item several times, in other words: the
	// first one stands.
	Retold bool
	// Line is its line in the source, from 1; 0 if lines are not counted.
	Line int
	// Earlier is an id under which earlier versions recorded the same, or empty.
	Earlier string
	// Alias is the name that hooks give the call of the event, if it is not the agent's own name:
	// equal calls have the same alias. Since and Until are when the call began and ended, if that
	// is known.
	Alias        string
	Since, Until time.Time
}

// Reason is why something was left out.
type Reason string

// Reasons that are problems: the item should have been taken.
const (
	Broken     Reason = "broken"       // it cannot be read
	TooLarge   Reason = "too_large"    // it is longer than [MaxPiece]
	Changed    Reason = "changed"      // it is recorded with other content
	Refused    Reason = "refused"      // the board does not take it
	Unreadable Reason = "unreadable"   // a file that cannot be opened or read to its end
	Mistaken   Reason = "other_format" // a file of another format than the one that was named
)

// Reasons to leave an item out on purpose.
const (
	Unfinished Reason = "unfinished" // the end of a source that is still being written
	Thinking   Reason = "thinking"   // what a model thought to itself
	Note       Reason = "note"       // what a program noted for itself
	Empty      Reason = "empty"      // it has no content
	Own        Reason = "own"        // Lukasa had handed it out, or it is about its own tools
	Unknown    Reason = "unknown"    // of an unknown sort
	Branch     Reason = "branch"     // an abandoned branch of a conversation
	Deleted    Reason = "deleted"    // it was deleted in the source
	Forgotten  Reason = "forgotten"  // it was forgotten or expired here
	Erased     Reason = "erased"     // it was erased here, and stays erased
	OtherFile  Reason = "other_file" // a file in a directory that is not of the format
	Link       Reason = "link"       // a symbolic link in a directory
	Garbled    Reason = "garbled"    // bytes that are not UTF-8, in an item that was taken
)

// Problem reports whether something should have been taken and was not.
func (r Reason) Problem() bool {
	switch r {
	case Broken, TooLarge, Changed, Refused, Unreadable, Mistaken:
		return true
	}
	return false
}

// Left is something that was left out.
type Left struct {
	Line   int // from 1; 0 if lines are not counted
	Reason Reason
	Detail string // in one line
}

// Sink takes the items of a source, in order.
type Sink interface {
	// Take takes an item. An error ends the reading.
	Take(context.Context, Item) error
	// Leave receives what was left out.
	Leave(Left)
}
