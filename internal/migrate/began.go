package migrate

import (
	"bytes"
	"time"
)

// beganBytes is how much of a transcript is looked at to tell when it begins.
const beganBytes = 64 << 10

// Began returns when a transcript begins, by the first time that it tells. It is zero for one
// that tells none at its beginning, and for formats whose files are not sessions. The source is
// used up.
func Began(f Format, src Source) time.Time {
	if f != ClaudeCode && f != Codex {
		return time.Time{}
	}
	text, err := (&run{format: f, src: src, peek: beganBytes}).open()
	if err != nil {
		return time.Time{} // told by whoever reads it
	}
	head, _ := text.Peek(beganBytes) // what cannot be read is told when it is
	for {
		_, rest, ok := bytes.Cut(head, []byte(`"timestamp":`))
		if !ok {
			return time.Time{}
		}
		head = rest
		if value, ok := bytes.CutPrefix(bytes.TrimLeft(rest, " \t"), []byte(`"`)); ok {
			value, _, _ = bytes.Cut(value, []byte(`"`))
			if t, ok := when(string(value)); ok {
				return t.Time()
			}
		}
	}
}
