package weights

import (
	"bytes"
	"testing"

	"lukasa.dev/internal/salience"
)

// FuzzValues decodes arbitrary bytes. A valid value has one encoding.
func FuzzValues(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{layout})
	f.Add(encodeWeights(nil, salience.Cold(), 7))
	f.Add(input{signal: -1, profile: salience.Profile{Recency: 0.5, Access: 1}}.encode(nil))
	f.Fuzz(func(t *testing.T, v []byte) {
		if w, n, ok := decodeWeights(v); ok {
			if again := encodeWeights(nil, w, n); !bytes.Equal(again, v) {
				t.Fatalf("%x is read as what is written as %x", v, again)
			}
		}
		if in, ok := decodeInput(v); ok {
			if again := in.encode(nil); !bytes.Equal(again, v) {
				t.Fatalf("%x is read as what is written as %x", v, again)
			}
		}
	})
}
