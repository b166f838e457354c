package scope

import "lukasa.dev/internal/record"

// Verdict is what is known about a subject before it is read.
type Verdict uint8

// The verdicts.
const (
	Look Verdict = iota // the subject itself must be read
	No
	Yes
)

// Sketch is what is known of a subject before it is read.
type Sketch struct {
	Kind     record.Kind
	Type     string // see [TypeOf]; empty if unknown
	Section  string // see [SectionOf]; empty if unknown
	Session  [16]byte
	Tags     uint64 // has all bits of the marks of its tags, and maybe more
	Position uint64
	Unpinned bool // it is certainly not pinned
}

// Marks maps the names in selectors to those in sketches.
type Marks struct {
	Session func(name string) [16]byte
	Tag     func(name string) uint64
	// ID returns the positions of all subjects with that id.
	ID func(id string) ([]uint64, error)
}

// Sketcher decides by sketches. It is safe for concurrent use.
type Sketcher struct {
	scoped bool
	rules  []sketchRule
}

type sketchRule struct {
	pinned           bool
	include, exclude []sketchList
}

// sketchList is a list whose words are marks.
type sketchList struct {
	*list
	sessions map[[16]byte]bool
	tags     []uint64
	at       map[uint64]bool
}

// Sketcher returns a Sketcher for these marks. Its verdict equals that of Allows, or is Look.
func (a *Access) Sketcher(m Marks) (*Sketcher, error) {
	s := &Sketcher{scoped: a != nil}
	if a == nil {
		return s, nil
	}
	for i := range a.rules {
		r := &a.rules[i]
		made := sketchRule{pinned: r.pinned}
		for _, part := range []struct {
			from []list
			to   *[]sketchList
		}{{r.include, &made.include}, {r.exclude, &made.exclude}} {
			for j := range part.from {
				l, err := sketchListOf(&part.from[j], m)
				if err != nil {
					return nil, err
				}
				*part.to = append(*part.to, l)
			}
		}
		s.rules = append(s.rules, made)
	}
	return s, nil
}

func sketchListOf(l *list, m Marks) (sketchList, error) {
	out := sketchList{list: l, sessions: make(map[[16]byte]bool), at: make(map[uint64]bool)}
	for _, word := range l.words {
		switch l.of {
		case bySession:
			out.sessions[m.Session(word)] = true
		case byTag:
			out.tags = append(out.tags, m.Tag(word))
		case byID:
			list, err := m.ID(word)
			if err != nil {
				return out, err
			}
			for _, position := range list {
				out.at[position] = true
			}
		}
	}
	return out, nil
}

// Judge reports whether a subject may be seen.
func (s *Sketcher) Judge(x *Sketch) Verdict {
	if s.scoped && boards(x.Kind) {
		return No
	}
	all := Yes
	for i := range s.rules {
		r := &s.rules[i]
		pinned := No
		if r.pinned && !x.Unpinned {
			pinned = Look
		}
		if r.pinned && len(r.include) == 0 {
			all = both(all, pinned)
		}
		for j := range r.include {
			all = both(all, either(r.include[j].has(x), pinned))
		}
		for j := range r.exclude {
			all = both(all, not(r.exclude[j].has(x)))
		}
		if all == No {
			return No
		}
	}
	return all
}

// has reports whether a subject is on the list.
func (l *sketchList) has(x *Sketch) Verdict {
	switch l.of {
	case byType:
		if x.Type == "" {
			return Look
		}
		return verdictOf(l.names(x.Type))
	case bySection:
		if x.Section == "" {
			return Look
		}
		return verdictOf(l.names(x.Section))
	case bySession:
		return verdictOf(x.Session != [16]byte{} && l.sessions[x.Session])
	case byID:
		return verdictOf(l.at[x.Position])
	case byTag:
		for _, tag := range l.tags {
			if x.Tags&tag == tag {
				return Look
			}
		}
		return No
	}
	return Look
}

func verdictOf(yes bool) Verdict {
	if yes {
		return Yes
	}
	return No
}

func both(a, b Verdict) Verdict {
	switch {
	case a == No || b == No:
		return No
	case a == Look || b == Look:
		return Look
	}
	return Yes
}

func either(a, b Verdict) Verdict { return not(both(not(a), not(b))) }

func not(a Verdict) Verdict {
	switch a {
	case No:
		return Yes
	case Yes:
		return No
	}
	return Look
}
