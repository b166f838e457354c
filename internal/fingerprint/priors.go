package fingerprint

import "lukasa.dev/hmx"

// Priors is how useful sections, types of sources, tags and single sources were, from 0 to 1.
// Packs of the strategy fingerprint_guided use it.
type Priors struct {
	sections, sources, tags, things map[string]float64
}

// even is the prior of the unknown.
const even = 0.5

// rate is how often something was useful, with one success in two added.
func (e Use) rate() float64 { return share(float64(e.Used+1) / float64(e.Shown+2)) }

// PriorsOf returns the priors of usage counts.
func PriorsOf(u Usage) *Priors {
	return &Priors{sections: rates(u.Sections), sources: rates(u.Sources), tags: rates(u.Tags), things: rates(u.Things)}
}

func rates(list []Use) map[string]float64 {
	out := make(map[string]float64, len(list))
	for _, u := range list {
		out[u.Name] = u.rate()
	}
	return out
}

// Priors returns the priors of a fingerprint. An artifact that was never shown has its
// confidence.
func (f *Fingerprint) Priors() *Priors {
	p := PriorsOf(f.Uses)
	for _, a := range f.Artifacts {
		if _, shown := p.things[a.ID]; !shown {
			p.things[a.ID] = a.Confidence
		}
	}
	return p
}

// Shown reports whether any section has counts.
func (p *Priors) Shown() bool { return len(p.sections) > 0 }

// Section returns how useful a section was: 0.5 if it was never shown, which is neutral.
func (p *Priors) Section(s hmx.Section) float64 {
	if x, shown := p.sections[string(s)]; shown {
		return x
	}
	return even
}

// Of returns the prior of a source besides its section: by its id, else the best of its tags,
// else its type, if its section was never shown. ok is false if nothing is known.
func (p *Priors) Of(id string, section hmx.Section, source hmx.SourceType, tags []string) (float64, bool) {
	if x, shown := p.things[id]; shown {
		return x, true
	}
	best, known := 0.0, false
	for _, tag := range tags {
		if x, shown := p.tags[tag]; shown {
			best, known = max(best, x), true
		}
	}
	if known {
		return best, true
	}
	if _, shown := p.sections[string(section)]; shown {
		return 0, false
	}
	best, known = p.sources[string(source)]
	return best, known
}
