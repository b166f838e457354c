package trace

// Strings keeps one copy of each text, so that the traces of many sessions share
// their names, shapes and words. The zero value is ready. It is not for several
// goroutines at once.
type Strings struct{ known map[string]string }

const (
	maxKnown = 1 << 18 // texts that are kept; further ones get copies of their own
	maxShare = 256     // bytes of a text that is kept
)

// take returns b as a text of its own, the same for the same bytes.
func (s *Strings) take(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if text, ok := s.known[string(b)]; ok {
		return text
	}
	text := string(b)
	if len(b) <= maxShare && len(s.known) < maxKnown {
		if s.known == nil {
			s.known = map[string]string{}
		}
		s.known[text] = text
	}
	return text
}
