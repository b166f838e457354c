package transcripts

import (
	"bytes"
	"time"

	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// beganBytes is how much of a transcript is looked at to tell when it begins.
const beganBytes = 64 << 10

// Began returns when a transcript begins, by the first time that it tells. It is zero for one
// that tells none at its beginning, and for formats whose files are not sessions. The source is
// used up.
func Began(f foreign.Format, src source.Source) time.Time {
	if !f.HasHooks() {
		return time.Time{}
	}
	text, err := source.Open(src, beganBytes)
	if err != nil {
		return time.Time{} // Read reports the error
	}
	head, _ := text.Peek(beganBytes) // an error of reading shows up when it is read
	key := []byte(`"timestamp":`)
	if f == foreign.OpenCode {
		key = []byte(`"created":`)
	}
	for {
		_, rest, ok := bytes.Cut(head, key)
		if !ok {
			return time.Time{}
		}
		head = rest
		value, quoted := bytes.CutPrefix(bytes.TrimLeft(rest, " \t"), []byte(`"`))
		if quoted {
			value, _, _ = bytes.Cut(value, []byte(`"`))
		} else if end := bytes.IndexAny(value, ",}\n "); f == foreign.OpenCode && end > 0 {
			value = value[:end]
		}
		if t, ok := foreign.When(string(value[:min(len(value), 64)])); ok && (quoted || f == foreign.OpenCode) {
			return t.Time()
		}
	}
}
