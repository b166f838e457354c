package operation

import (
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/merkle"
)

// AsOf parses the name of a state. 64 hexadecimal digits are a root, and 8 or more are its
// prefix, unless they are up to 20 decimal digits; those are a position, as fewer digits are.
// Everything else is a time or a day. The empty text is the present.
func (c *Call) AsOf(text string) (lukasa.AsOf, error) {
	as := lukasa.AsOf{Progress: c.Counted("replaying")}
	if text == "" {
		return as, nil
	}
	if root, err := hex.DecodeString(text); err == nil && len(root) == merkle.HashSize {
		as.Root = hmx.Some(merkle.Hash(root))
		return as, nil
	}
	if position, err := strconv.ParseUint(text, 10, 64); err == nil {
		as.Position = hmx.Some(position)
		return as, nil
	}
	if digits := strings.ToLower(text); len(digits) >= lukasa.LeastRootPrefix && len(digits) < 2*merkle.HashSize && strings.Trim(digits, "0123456789abcdef") == "" &&
		(len(digits) > 20 || strings.Trim(digits, "0123456789") != "") {
		as.RootPrefix = digits
		return as, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil && !day.IsZero() {
		as.Time = day
		return as, nil
	}
	t, err := hmx.ParseTime(text)
	if err != nil || t.IsZero() { // the zero time means none
		return as, fault.Newf(fault.InvalidArgument, "as_of: %s is neither a position, a root nor a time", Quoted(text)).WithCause(err).
			WithFix("give the position of a record, such as 41; a root or 8 or more of its first digits; or a time, such as 2026-03-14 or 2026-03-14T03:00:00Z")
	}
	as.Time = t.Time()
	return as, nil
}
