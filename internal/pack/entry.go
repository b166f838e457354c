package pack

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/fault"
)

// entryWriter writes entries in the canonical form of their pack. That is cheaper than building
// them and encoding them like other documents. Members that HMX has no field for are sliced out
// of the result.
type entryWriter struct {
	data []byte
	own  []ownMember
}

// ownMember is the place of the value of a member that HMX has no field for.
type ownMember struct {
	name     string
	from, to int
}

// mostOwn is the most such members of an entry.
const mostOwn = 8

// entry appends x, with members in the order of their names.
func (w *entryWriter) entry(x *contender) error {
	c, s := x.c, x.source
	for _, text := range [...]string{string(c.Section), x.item.Text, s.ID, string(c.Source), s.Origin} {
		if !utf8.ValidString(text) {
			return fault.Newf(fault.InvalidDocument, "%.80q of %.80q is not valid UTF-8", text, s.ID)
		}
	}
	if math.IsNaN(x.score) || math.IsInf(x.score, 0) {
		return fault.Newf(fault.InvalidDocument, "the relevance of %.80q is no number", s.ID)
	}
	w.data = append(w.data, '{')
	w.ownText("at", hmx.TimeOf(time.Unix(0, c.Time)).String())
	if s.Label != "" {
		w.ownText("by", s.Label)
	}
	w.text("content", x.item.Text)
	w.begin("parts")
	w.data = x.parts.append(w.data)
	w.end()
	w.begin("position")
	w.data = strconv.AppendUint(w.data, c.Position, 10)
	w.end()
	w.name("provenance")
	w.data = append(w.data, '{')
	w.number("confidence", x.confidence())
	w.integer("evidence_count", max(0, s.Evidence))
	w.text("origin", s.Origin)
	w.data = append(w.data, '}')
	w.integer("rank", int64(x.rank))
	w.number("relevance_score", x.score)
	w.text("section", string(c.Section))
	w.text("source_id", s.ID)
	w.text("source_type", string(c.Source))
	w.integer("token_estimate", int64(x.tokens))
	if x.cut {
		w.begin("truncated")
		w.data = append(w.data, "true"...)
		w.end()
	}
	w.ownText("trust", c.Trust.String())
	w.ownText("type", s.Type)
	w.ownText("uri", s.URI.String())
	w.data = append(w.data, '}')
	return nil
}

func (w *entryWriter) name(name string) {
	if w.data[len(w.data)-1] != '{' {
		w.data = append(w.data, ',')
	}
	w.data = append(append(append(w.data, '"'), name...), '"', ':')
}

func (w *entryWriter) text(name, value string) {
	w.name(name)
	w.data = canon.AppendQuoted(w.data, value)
}

func (w *entryWriter) number(name string, value float64) {
	w.name(name)
	w.data = canon.AppendNumber(w.data, value)
}

func (w *entryWriter) integer(name string, value int64) {
	w.name(name)
	w.data = strconv.AppendInt(w.data, value, 10)
}

// begin and end delimit a member that HMX has no field for.
func (w *entryWriter) begin(name string) {
	w.name(name)
	w.own = append(w.own, ownMember{name: name, from: len(w.data)})
}

func (w *entryWriter) end() { w.own[len(w.own)-1].to = len(w.data) }

func (w *entryWriter) ownText(name, value string) {
	w.begin(name)
	w.data = appendText(w.data, value)
	w.end()
}

// appendText appends any text as a JSON string.
func appendText(b []byte, s string) []byte {
	return canon.AppendQuoted(b, strings.ToValidUTF8(s, "\uFFFD"))
}

// append appends the parts as canonical JSON.
func (p *Parts) append(b []byte) []byte {
	for i, x := range [...]float64{p.Provenance, p.Recency, p.Relevance, p.Salience} {
		b = append(b, "{,,,"[i], '"')
		b = append(b, [...]string{"provenance", "recency", "relevance", "salience"}[i]...)
		b = canon.AppendShortest(append(b, '"', ':'), round4(x))
	}
	return append(b, '}')
}

// write appends contenders, with a comma before all but the first, and makes entries of them.
func (w *entryWriter) write(list []*contender, first bool, entries []hmx.Entry) error {
	w.own = make([]ownMember, 0, (mostOwn+1)*len(list))
	for _, x := range list {
		if !first {
			w.data = append(w.data, ',')
		}
		first = false
		if err := w.entry(x); err != nil {
			return err
		}
		w.own = append(w.own, ownMember{}) // ends the members of this entry
	}
	text, own := hmx.Raw(w.data), w.own // one string, sliced into values
	for i, x := range list {
		extra := make(hmx.Extra, mostOwn)
		for ; own[0].name != ""; own = own[1:] {
			extra[own[0].name] = text[own[0].from:own[0].to]
		}
		own = own[1:]
		entries[i] = x.entry(extra)
	}
	return nil
}

func (x *contender) confidence() float64 { return round(unit(x.c.Confidence)) }

// entry returns x as an entry with the members that HMX has no field for.
func (x *contender) entry(extra hmx.Extra) hmx.Entry {
	c, s := x.c, x.source
	return hmx.Entry{
		Section: c.Section, Content: x.item.Text, SourceID: s.ID, SourceType: c.Source, RelevanceScore: x.score,
		TokenEstimate: int64(x.tokens), Rank: int64(x.rank), Extra: extra,
		Provenance: hmx.Provenance{Origin: s.Origin, Confidence: x.confidence(), EvidenceCount: max(0, s.Evidence)},
	}
}
