package recognize

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"lukasa.dev/internal/memory"
)

// CleanRef returns the canonical spelling of a reference to an object of kind k, and
// "" for an invalid one: an empty reference, one longer than
// [memory.MaxRef], one with control characters, bidirectional controls or bytes
// that are not UTF-8.
//
// Indexing and lookup both use it, so that two spellings of one object match. It is
// idempotent.
//
//   - file: slashes for backslashes, no ./ and no ../ that can be resolved, no
//     file:// in front, the letter of a drive in upper case
//   - url: scheme and host in lower case, no user or password, no fragment, no
//     slash that is the whole path
//   - others: no white space around it
func CleanRef(k memory.ObjectKind, ref string) string {
	// Cleaning removes a few bytes at most; what is far too long is not looked at.
	if len(ref) > 2*memory.MaxRef {
		return ""
	}
	switch k {
	case memory.ObjFile:
		ref = cleanFile(ref)
	case memory.ObjURL:
		ref = cleanURL(ref)
	default:
		ref = strings.TrimSpace(ref)
	}
	if len(ref) > memory.MaxRef || !Printable(ref) {
		return ""
	}
	return ref
}

func cleanFile(ref string) string {
	ref = strings.TrimPrefix(ref, "file://")
	if ref == "" {
		return ""
	}
	if strings.IndexByte(ref, '\\') >= 0 {
		ref = strings.ReplaceAll(ref, `\`, "/")
	}
	ref = path.Clean(ref)
	if len(ref) > 3 && ref[0] == '/' && drive(ref[1:]) {
		ref = ref[1:] // from file:///C:/
	}
	if drive(ref) && ref[0] >= 'a' {
		ref = strings.ToUpper(ref[:1]) + ref[1:]
	}
	return ref
}

// drive reports whether a cleaned path begins with a letter of a drive.
func drive(ref string) bool {
	return len(ref) >= 3 && ref[1] == ':' && ref[2] == '/' && ref[0]|0x20 >= 'a' && ref[0]|0x20 <= 'z'
}

// Absolute reports whether a cleaned path says where it begins.
func Absolute(ref string) bool { return strings.HasPrefix(ref, "/") || drive(ref) }

func cleanURL(ref string) string {
	ref, _, _ = strings.Cut(ref, "#")
	ref = strings.TrimSpace(ref)
	scheme, rest, ok := strings.Cut(ref, "://")
	if !ok || !schemeLike(scheme) {
		return ref
	}
	host, tail := rest, ""
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		host, tail = rest[:i], rest[i:]
	}
	cleanScheme, cleanTail := LowerASCII(scheme), tail
	cleanHost := LowerASCII(strings.TrimSpace(host[strings.LastIndexByte(host, '@')+1:]))
	if tail == "/" {
		cleanTail = ""
	}
	if cleanScheme == scheme && cleanHost == host && cleanTail == tail {
		return ref
	}
	return cleanScheme + "://" + cleanHost + cleanTail
}

// HostOf returns the host of a cleaned URL, its port included, and "" if it has none.
func HostOf(ref string) string {
	_, rest, ok := strings.Cut(ref, "://")
	if !ok {
		return ""
	}
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

func schemeLike(s string) bool {
	for i := range len(s) {
		if c := s[i]; !(c|0x20 >= 'a' && c|0x20 <= 'z') && !(i > 0 && (c-'0' < 10 || c == '+' || c == '-' || c == '.')) {
			return false
		}
	}
	return s != ""
}

// LowerASCII lowers letters of ASCII only: what other letters become depends on
// tables that change.
func LowerASCII(s string) string {
	for i := range len(s) {
		if s[i]-'A' < 26 {
			b := []byte(s)
			for j := i; j < len(b); j++ {
				if b[j]-'A' < 26 {
					b[j] |= 0x20
				}
			}
			return string(b)
		}
	}
	return s
}

// Printable reports whether s can be the reference of a frame: not empty, UTF-8,
// and without characters that control.
func Printable(s string) bool {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < 0x20 || c == 0x7F {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return false
		}
		i += n
	}
	return s != ""
}

// SpaceLike reports whether c, which is not ASCII, is a blank, a line break or a
// control character.
func SpaceLike(c rune) bool {
	switch {
	case c >= 0x7F && c <= 0xA0, c == 0x1680, c >= 0x2000 && c <= 0x200A, c == 0x2028, c == 0x2029, c == 0x202F, c == 0x205F, c == 0x3000:
		return true
	}
	return false
}
