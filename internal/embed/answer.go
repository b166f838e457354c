package embed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/remote"
)

// answer is a server's answer. Other members are ignored.
type answer struct {
	Data []struct {
		Index     *int            `json:"index"`
		Embedding json.RawMessage `json:"embedding"`
	} `json:"data"`
}

// take checks an answer and stores its vectors in the results. If the answer does not match the
// batch, it stores none. An invalid vector is an error of its own text alone.
func (r *Remote) take(body []byte, b batch) *remote.Trouble {
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return r.server.Nonsense("answered with something else than embeddings", err)
	}
	if len(a.Data) != len(b.texts) {
		did := fmt.Sprintf("answered with %d vectors for %d texts", len(a.Data), len(b.texts))
		if words := r.server.Words(body); words != "" {
			did += ": " + words
		}
		return r.server.Nonsense(did, nil)
	}
	order := make([]int, len(a.Data)) // text to index in the answer, from 1
	for i, d := range a.Data {
		switch {
		case d.Index == nil:
			return r.server.Nonsense(fmt.Sprintf("answered with a vector without index, at place %d", i), nil)
		case *d.Index < 0 || *d.Index >= len(order):
			return r.server.Nonsense(fmt.Sprintf("answered with index %d for %d texts", *d.Index, len(order)), nil)
		case order[*d.Index] != 0:
			return r.server.Nonsense(fmt.Sprintf("answered twice with index %d", *d.Index), nil)
		}
		order[*d.Index] = i + 1
	}
	for i, place := range order {
		vector, err := parseVector(a.Data[place-1].Embedding)
		if err == nil {
			err = r.checkDimensions(len(vector))
		} else {
			err = fault.Newf(fault.InvalidArgument, "%s answered with no sound vector for the text: %w", r.server.At(), err).
				WithFix("leave the text out; the service takes others")
		}
		if err != nil {
			vector = nil
		}
		*b.results[i] = Result{Vector: vector, Err: err}
	}
	return nil
}

// checkDimensions compares n with the known dimensions. The first vector sets them.
func (r *Remote) checkDimensions(n int) error {
	if r.dimensions.CompareAndSwap(0, int64(n)) || r.dimensions.Load() == int64(n) {
		return nil
	}
	return fault.Newf(fault.WrongDimensions, "%s answered with a vector of %d dimensions, must be %d", r.server.At(), n, r.Dimensions()).
		WithFix("check the model and the dimensions that are set for it")
}

// parseVector parses an array of numbers, at least one of them not zero. The bytes are valid
// JSON, so an item that is no number is quoted, nested, or a word.
func parseVector(data []byte) ([]float32, error) {
	if len(data) < 2 || data[0] != '[' || data[len(data)-1] != ']' {
		return nil, errors.New(describe(data) + " instead of an array")
	}
	data = bytes.TrimSpace(data[1 : len(data)-1])
	if len(data) == 0 {
		return nil, errors.New("an empty array")
	}
	vector := make([]float32, 0, bytes.Count(data, []byte{','})+1)
	zero := true
	for number := range bytes.SplitSeq(data, []byte{','}) {
		number = bytes.TrimSpace(number)
		x, err := strconv.ParseFloat(string(number), 32)
		if err != nil {
			return nil, errors.New(describe(number) + " instead of a number within float32")
		}
		zero = zero && x == 0
		vector = append(vector, float32(x))
	}
	if zero {
		return nil, errors.New("nothing but zeros")
	}
	return vector, nil
}

// describe describes a piece of JSON without quoting it.
func describe(data []byte) string {
	if len(data) == 0 {
		return "nothing"
	}
	switch data[0] {
	case '"':
		return "a string"
	case '[':
		return "an array"
	case '{':
		return "an object"
	case 'n':
		return "null"
	case 't', 'f':
		return "true or false"
	}
	return "a number"
}
