package index

// Filter says which documents may be found. The zero value allows all. Both parts
// must allow a document.
type Filter struct {
	// Mask returns which of the 1,024 documents from position 1024*chunk on may be
	// found, one bit each; nil for none of them.
	Mask func(chunk int) (*[16]uint64, error)
	// Accept decides about one document. It is called only for documents that would
	// be found otherwise.
	Accept func(position uint64) (bool, error)
}

// Match is a document that was found, and its score.
type Match struct {
	Position uint64
	Score    float64
}
