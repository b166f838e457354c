package node

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Secret is a text that is never shown.
type Secret string

// hidden replaces a secret.
const hidden = "(hidden)"

// String returns a placeholder.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return hidden
}

// GoString returns a placeholder.
func (s Secret) GoString() string { return s.String() }

// MarshalText returns a placeholder.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText sets the secret.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = Secret(strings.TrimSpace(string(text)))
	return nil
}

// Duration is a span of time, written as 500ms, 30s or 5m.
type Duration time.Duration

// String returns the duration as it is written.
func (d Duration) String() string {
	if d == 0 {
		return "0"
	}
	return time.Duration(d).String()
}

// MarshalText returns the duration as it is written.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a duration.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v < 0 {
		return fmt.Errorf("%q is not a duration such as 500ms, 30s or 5m", text)
	}
	*d = Duration(v)
	return nil
}

// Size is a number of bytes, written as 512MiB, 2GB or plain.
type Size int64

// units are the units of a size, the larger ones first.
func units() []struct {
	name  string
	bytes int64
} {
	return []struct {
		name  string
		bytes int64
	}{
		{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
		{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1},
	}
}

// String returns the size as it is written.
func (s Size) String() string {
	for _, u := range units()[:4] {
		if n := int64(s); n >= u.bytes && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// MarshalText returns the size as it is written.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a size.
func (s *Size) UnmarshalText(text []byte) error {
	digits, unit := strings.TrimSpace(string(text)), int64(1)
	for _, u := range units() {
		if len(digits) > len(u.name) && strings.EqualFold(digits[len(digits)-len(u.name):], u.name) {
			digits, unit = strings.TrimSpace(digits[:len(digits)-len(u.name)]), u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return fmt.Errorf("%q is not a size such as 512MiB or 2GB", text)
	}
	*s = Size(n * unit)
	return nil
}
