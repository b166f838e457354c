// Package embed turns text into vectors.
//
// A [Model] is a static one: a table with a row of numbers for each of some
// thousands of word pieces. A text's vector is the sum of the rows of its pieces,
// divided by its length. [Builtin] is the model that is part of the program. It
// needs no network and no memory per call. It was fitted on English; of other
// languages it knows little.
//
// A [Remote] asks a server that speaks OpenAI's protocol for embeddings.
//
// Guarantees: the same model and text give the same bits on every machine, with
// and without vector instructions, because each number is a sum of float32 in the
// order of the pieces, and nothing is fused. A text takes time linear in its
// length. A remote answer is used only if it is whole: as many vectors as texts, of
// the right dimensions, finite and not zero. A Model and a Remote may be used by
// many goroutines at once.
//
// It does not: store vectors, compare them, or decide which texts are worth one.
// Which characters are marks, punctuation or white space is what the Unicode tables
// of Go and golang.org/x/text say, so a character that a later Unicode adds may be
// read otherwise by a later build.
package embed

// Embedding is the vector of a text: of length 1, or all zero if the model knows
// nothing in it.
type Embedding struct {
	Vector []float32
	Norm   float32 // of the sum before it was divided by its length
	Pieces int     // word pieces of the text
}

// Name names the model and its version. Vectors of models with different names
// cannot be compared.
func (m *Model) Name() string { return m.name }

// Dimensions is how many numbers a vector has.
func (m *Model) Dimensions() int { return m.dimensions }

// Embed returns the vector of a text, in room if that is large enough. Several texts
// are one with a line feed between them.
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

// WordVector returns the vector of a single word, in room if that is large enough,
// and the length it had before it was divided by that. A word that the model does
// not know has the zero vector and length 0.
func (m *Model) WordVector(room []float32, word string) (vector []float32, norm float32) {
	e := m.Embed(room, word)
	return e.Vector, e.Norm
}

// Pieces appends the numbers of the text's word pieces to dst, in order. Pieces
// that have no vector are left out.
func (m *Model) Pieces(dst []int32, text string) []int32 {
	r := reader{model: m, ids: dst}
	r.read(text)
	r.finish()
	return r.ids
}
