package sourcetest

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"unicode/utf16"
)

// Wide writes a text in units of two or four bytes, with or without a mark.
func Wide(text string, order binary.AppendByteOrder, four, mark bool) []byte {
	var out []byte
	if mark {
		text = "\ufeff" + text
	}
	if four {
		for _, c := range text {
			out = order.AppendUint32(out, uint32(c))
		}
		return out
	}
	for _, u := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

// Zipped packs a text.
func Zipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Bytes()
}
