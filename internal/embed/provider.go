package embed

import "context"

// Provider makes vectors of texts, many at a time. Unlike a [Model] it may fail.
type Provider interface {
	// Name names the model. Vectors of different names cannot be compared.
	Name() string
	// Dimensions is how many numbers a vector has, and 0 while that is not known.
	Dimensions() int
	// EmbedBatch returns one result for each text, in order. The error is not nil
	// if some text has no vector for a reason that has nothing to do with it; the
	// results are there even so.
	EmbedBatch(ctx context.Context, texts []string) ([]Result, error)
}

// Result is what came of one text: a vector, or why there is none. The vector is
// finite, not zero, and as long as the provider made it, which need not be 1.
type Result struct {
	Vector []float32
	Err    error
}
