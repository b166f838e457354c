package merkle

import (
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/note"
)

// Clone returns a tree of its own with the same leaves.
func (r *Range) Clone() Range { return Range{size: r.size, roots: slices.Clone(r.roots)} }

// SignCheckpoint returns the checkpoint as a signed note. The signer's name must
// be the origin.
func SignCheckpoint(c *Checkpoint, signer note.Signer) ([]byte, error) {
	if signer.Name() != c.Origin {
		return nil, fmt.Errorf("checkpoint: the key is named %q and the origin %q; they must be the same", signer.Name(), c.Origin)
	}
	text, err := c.Marshal()
	if err != nil {
		return nil, err
	}
	return note.Sign(&note.Note{Text: string(text)}, signer)
}
