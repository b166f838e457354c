package index

// Filter says which documents may be found. The zero value lets all be found. Both
// parts must agree.
type Filter struct {
	// Mask returns which of the 1,024 documents from position 1024*chunk on may be
	// found, a bit for each; nil if none of them.
	Mask func(chunk int) (*[16]uint64, error)
	// Accept looks closer at one document. It is asked only of documents that would
	// be found otherwise.
	Accept func(position uint64) (bool, error)
}

// Match is a document that was found, and how well it fits.
type Match struct {
	Position uint64
	Score    float64
}
