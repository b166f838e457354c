package browse

import (
	"encoding/base64"

	"lukasa.dev/internal/fault"
)

// maxCursor is longer than any key of the index.
const maxCursor = 256

// PageFrom parses the limit and the cursor of a page. The cursor is a key of
// the index; a forged one, or one of another list, can only begin the list
// elsewhere.
func PageFrom(limit, usual, most int, after string) (int, []byte, error) {
	if limit == 0 {
		limit = usual
	}
	if limit < 0 || limit > most {
		return 0, nil, fault.Newf(fault.InvalidArgument, "limit: %d is not between 1 and %d", limit, most).WithFix("ask for fewer, and follow next")
	}
	key, err := base64.RawURLEncoding.DecodeString(after)
	if err != nil || len(key) > maxCursor {
		return 0, nil, notNext()
	}
	if len(key) == 0 {
		return limit, nil, nil
	}
	return limit, key, nil
}

func notNext() error {
	return fault.New(fault.InvalidArgument, "after: this is not the next of a page").WithFix("give what the page before had as next, with the same filters")
}

// cursorAt is the Next of a page whose last item has that key.
func cursorAt(key []byte) string { return base64.RawURLEncoding.EncodeToString(key) }
