package quote

import "strings"

// Check reports whether content is a valid quote of text, and whether it is cut. A valid quote is the text, with or without the white space around it, or a part of it with
// more than white space, with a marker on exactly those sides where something other than white
// space is missing.
func Check(text, content string) (cut, ok bool) {
	trimmed := strings.TrimSpace(text)
	if content == trimmed || strings.HasPrefix(text, content) && strings.TrimSpace(text[len(content):]) == "" {
		return false, strings.TrimSpace(content) != "" || content == text
	}
	head, before := strings.CutPrefix(content, Truncated+" ")
	if tail, ok := strings.CutSuffix(content, " "+Truncated); ok && begins(text, trimmed, tail) {
		return true, true
	}
	if before && len(head) < len(trimmed) && solid(head) && strings.HasSuffix(trimmed, head) {
		return true, true
	}
	if part, behind := strings.CutSuffix(head, " "+Truncated); before && behind && solid(part) {
		at := strings.Index(trimmed[min(1, len(trimmed)):], part)
		return true, at >= 0 && 1+at+len(part) < len(trimmed)
	}
	return false, false
}

// begins reports whether a part is a proper prefix of a text. The white space before it may be
// missing.
func begins(text, trimmed, part string) bool {
	rest, ok := strings.CutPrefix(text, part)
	if !ok {
		rest, ok = strings.CutPrefix(trimmed, part)
	}
	return ok && strings.TrimSpace(part) != "" && strings.TrimSpace(rest) != ""
}

// solid reports whether a part is trimmed and not empty.
func solid(part string) bool { return part != "" && strings.TrimSpace(part) == part }
