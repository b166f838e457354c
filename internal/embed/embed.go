// Package embed turns text into vectors.
//
// A [Model] is static: a table with a row of numbers for each of some thousands of word pieces.
// A text's vector is the normalised sum of the rows of its pieces. [Builtin] is the model that
// is part of the program. It needs no network and no memory per call. It was trained on English
// and knows little of other languages.
//
// A [Remote] is a client of a server with OpenAI's protocol for embeddings.
//
// Guarantees: the same model and text give the same bits on every machine, with and without
// vector instructions, because each number is a sum of float32 in the order of the pieces, and
// nothing is fused. Embedding a text takes time linear in its length. A remote answer is used
// only if it is complete: as many vectors as texts, of the right dimensions, finite and not
// zero. A Model and a Remote are safe for concurrent use.
//
// It does not store vectors, compare them, or decide which texts get one. The Unicode tables of
// Go and golang.org/x/text determine which characters are marks, punctuation or white space, so
// a later build may treat a character that a later Unicode adds differently.
package embed

// Embedding is the vector of a text: of length 1, or zero if the model knows nothing in it.
type Embedding struct {
	Vector []float32
	Norm   float32 // of the sum before normalisation
	Pieces int     // word pieces of the text
}

// Name identifies the model and its version. Vectors of models with different names cannot be
// compared.
func (m *Model) Name() string { return m.name }

// Dimensions is the length of a vector.
func (m *Model) Dimensions() int { return m.dimensions }

// Embed returns the vector of a text, in room if that is large enough. Several texts are joined
// by line feeds.
func (m *Model) Embed(room []float32, texts ...string) Embedding {
	if cap(room) < m.dimensions {
		room = make([]float32, m.dimensions)
	}
	sum := room[:m.dimensions]
	clear(sum)
	r := reader{model: m, sum: sum}
	for _, text := range texts {
		r.read(text)
	}
	r.finish()
	return Embedding{Vector: sum, Norm: normalize(sum), Pieces: r.total}
}

// Pieces appends the ids of the text's word pieces to dst, in order. Pieces without a vector
// are left out.
func (m *Model) Pieces(dst []int32, text string) []int32 {
	r := reader{model: m, ids: dst}
	r.read(text)
	r.finish()
	return r.ids
}
