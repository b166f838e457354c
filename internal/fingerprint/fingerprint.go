// Package fingerprint makes HMX-F: a portable digest of what an agent learned.
//
// # What is guaranteed
//
//   - A fingerprint is a function of its input, in any order. Its encoding is canonical
//     JSON (RFC 8785) with a hash over it, of less than [MaxBytes] for any input: every
//     list and every entry has a limit, and a list that is too long loses the entries with
//     the least support.
//   - It contains no text of events. Names are verbatim only if they look like names:
//     those of tools, of artifacts, of tags. Names of entities, signatures of errors and
//     agents are hashes. Words of goals occur singly, without order, and only if they were
//     said in at least [MinWordSessions] sessions and [MinWordTasks] tasks.
//   - Merging is commutative, associative and idempotent: of two entries with one key the
//     one with more support is kept whole, and counts are not added up. So a fingerprint
//     that is merged twice, or with an older one of its own, changes nothing that is known
//     better.
//   - Decoding refuses anything that encoding would not write, except white space and the
//     order of members; the error says where and why.
//
// # What is not
//
// The hash of a name hides it from a reader, but not from a guess: with a list of names, one
// can tell which of them are in a fingerprint. Counts of two agents are not added up, so a
// merged fingerprint has the counts of the agent with the most support.
package fingerprint

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/fault"
)

// Format is the version of the format.
const Format = 1

// MaxBytes is the exclusive upper limit of the encoding.
const MaxBytes = 100_000

// The limits of the lists of a fingerprint.
const (
	MaxOrigins   = 16
	MaxArtifacts = 110
	MaxTools     = 80
	MaxFollows   = 60
	MaxErrors    = 40
	MaxKinds     = 30
	MaxPairs     = 40
	MaxWords     = 80
	MaxTags      = 40
	MaxThings    = 40
)

// Limits of names and counts.
const (
	maxName  = 48
	maxID    = 64
	maxTitle = 96
	maxType  = 40
	maxWord  = 24
	maxCount = 1 << 32
)

// How common a word must be to be in a fingerprint.
const (
	MinWordTasks    = 5
	MinWordSessions = 3
)

// Fingerprint is a digest of what an agent learned. Lists are sorted by support, the most
// first, then by key.
type Fingerprint struct {
	Format    int        `json:"lukasa_fingerprint"`
	Origins   []Origin   `json:"origins"`
	Artifacts []Artifact `json:"artifacts"`
	Behaviour Behaviour  `json:"behaviour"`
	Graph     Graph      `json:"graph"`
	Words     []Word     `json:"words"`
	Uses      Usage      `json:"priors"`
	// Hash is the SHA-256 of the canonical form without it, in hexadecimal.
	Hash string `json:"hash,omitempty"`
}

// Origin is a state that a fingerprint was made from.
type Origin struct {
	ID     string `json:"id"`     // hash of tenant and agent
	Root   string `json:"root"`   // of the tenant's tree, empty if unknown
	Size   int64  `json:"size"`   // of that tree
	Events int64  `json:"events"` // that were read
}

// Artifact is a summary of an artifact.
type Artifact struct {
	ID          string  `json:"id"`
	Type        string  `json:"type"`
	Version     int64   `json:"version"`
	ContentHash string  `json:"content_hash"`
	Title       string  `json:"title"` // made of tool names only
	Confidence  float64 `json:"confidence"`
	Observed    int64   `json:"observed"`
	SuccessRate float64 `json:"success_rate"` // -1 if unknown
}

// Behaviour is the statistics of the agent's actions.
type Behaviour struct {
	Tasks     int64    `json:"tasks"`
	Judged    int64    `json:"judged"`
	Succeeded int64    `json:"succeeded"`
	Tools     []Tool   `json:"tools"`
	Follows   []Follow `json:"follows"`
	Errors    []Error  `json:"errors"`
}

// Tool is how often a tool was called, and with what outcome.
type Tool struct {
	Name      string `json:"name"`
	Taken     int64  `json:"taken"`
	Went      int64  `json:"went"`   // well
	Broke     int64  `json:"broke"`  //
	Judged    int64  `json:"judged"` // calls in a task with a known outcome
	Succeeded int64  `json:"succeeded"`
}

// Follow is how often a tool followed another.
type Follow struct {
	From  string `json:"from"` // empty for the start of a task
	To    string `json:"to"`
	Count int64  `json:"count"`
}

// Error is how often a tool failed with an error.
type Error struct {
	Signature string `json:"signature"` // hash
	Tool      string `json:"tool"`
	Count     int64  `json:"count"`
	Mended    int64  `json:"mended"` // in a task that succeeded
}

// Graph is counts of entities.
type Graph struct {
	Kinds []Kind `json:"kinds"`
	Pairs []Pair `json:"pairs"`
}

// Kind is the number of entities of a kind.
type Kind struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// Pair is how often two entities were named together.
type Pair struct {
	A     string `json:"a"` // hash; the lesser of the two
	B     string `json:"b"`
	Count int64  `json:"count"`
}

// Word is a word of goals.
type Word struct {
	Text     string `json:"text"`
	Tasks    int64  `json:"tasks"`
	Sessions int64  `json:"sessions"`
}

// Usage is what was useful in context.
type Usage struct {
	Sections []Use `json:"sections"`
	Sources  []Use `json:"sources"` // by source type
	Tags     []Use `json:"tags"`
	Things   []Use `json:"things"` // by source id
}

// Use is how often something was shown, and how often it was useful.
type Use struct {
	Name  string `json:"name"`
	Shown int64  `json:"shown"`
	Used  int64  `json:"used"`
}

// entry is a member of a list, with its key and its support.
type entry interface {
	Origin | Artifact | Tool | Follow | Error | Kind | Pair | Word | Use
	key() string
	support() int64
}

func (e Origin) key() string   { return e.ID }
func (e Artifact) key() string { return e.ID }
func (e Tool) key() string     { return e.Name }
func (e Follow) key() string   { return e.From + "\x00" + e.To }
func (e Error) key() string    { return e.Tool + "\x00" + e.Signature }
func (e Kind) key() string     { return e.Name }
func (e Pair) key() string     { return e.A + e.B }
func (e Word) key() string     { return e.Text }
func (e Use) key() string      { return e.Name }

func (e Origin) support() int64   { return e.Size }
func (e Artifact) support() int64 { return e.Observed }
func (e Tool) support() int64     { return e.Taken }
func (e Follow) support() int64   { return e.Count }
func (e Error) support() int64    { return e.Count }
func (e Kind) support() int64     { return e.Count }
func (e Pair) support() int64     { return e.Count }
func (e Word) support() int64     { return e.Tasks }
func (e Use) support() int64      { return e.Shown }

// ordered is the order of a list.
func ordered[T entry](a, b T) int {
	return cmp.Or(cmp.Compare(b.support(), a.support()), strings.Compare(a.key(), b.key()))
}

// joined returns the entries of all lists, for each key the one with most support, among equals
// the one whose encoding comes last; at most most.
//
// An entry that a list left out cannot come back: what ranked before it still does, with at
// least as much support. So cutting before and after a merge gives the same result.
func joined[T entry](most int, lists ...[]T) []T {
	best := map[string]T{}
	for _, list := range lists {
		for _, e := range list {
			if known, ok := best[e.key()]; !ok || exceeds(e, known) {
				best[e.key()] = e
			}
		}
	}
	out := make([]T, 0, len(best))
	for _, e := range best {
		out = append(out, e)
	}
	slices.SortFunc(out, ordered[T])
	return out[:min(len(out), most):min(len(out), most)]
}

// exceeds reports whether a is preferred to b, which has the same key.
func exceeds[T entry](a, b T) bool {
	if a.support() != b.support() {
		return a.support() > b.support()
	}
	return encoded(a) > encoded(b)
}

// encoded returns an entry as JSON. Numbers and strings always encode.
func encoded(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(data)
}

// hashed returns the hash of a name within a domain.
func hashed(what string, parts ...string) string {
	h := sha256.New()
	h.Write([]byte("lukasa fingerprint " + what))
	for _, p := range parts {
		h.Write([]byte{0})
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// named reports whether a text looks like a name rather than a phrase: letters, digits and
// joining marks, beginning with a letter.
func named(v string, most int) bool {
	if v == "" || len(v) > most || !letter(v[0]) {
		return false
	}
	for i := range len(v) {
		if c := v[i]; !letter(c) && (c < '0' || c > '9') && strings.IndexByte("_.:-/", c) < 0 {
			return false
		}
	}
	return true
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// nameOf returns a name, or its hash if it does not look like one.
func nameOf(what, v string, most int) string {
	if named(v, most) {
		return v
	}
	return what + ":" + hashed(what, v)
}

// count clamps a count.
func count(n int64) int64 { return min(max(n, 0), maxCount) }

// share clamps a rate or a confidence, and rounds it to four digits.
func share(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return math.Round(min(x, 1)*10_000) / 10_000
}

// MergeAll returns the union of fingerprints, of which there must be at least one.
func MergeAll(list ...*Fingerprint) (*Fingerprint, error) {
	if len(list) == 0 {
		return nil, fault.New(fault.InvalidArgument, "fingerprints: there are none").WithFix("give one or more")
	}
	all, err := Merge(list[0], list[0])
	for _, f := range list[1:] {
		if err != nil {
			return nil, err
		}
		all, err = Merge(all, f)
	}
	return all, err
}

// Merge returns the union of two fingerprints.
func Merge(a, b *Fingerprint) (*Fingerprint, error) {
	f := &Fingerprint{
		Format:    Format,
		Origins:   joined(MaxOrigins, a.Origins, b.Origins),
		Artifacts: joined(MaxArtifacts, a.Artifacts, b.Artifacts),
		Behaviour: Behaviour{
			Tools:   joined(MaxTools, a.Behaviour.Tools, b.Behaviour.Tools),
			Follows: joined(MaxFollows, a.Behaviour.Follows, b.Behaviour.Follows),
			Errors:  joined(MaxErrors, a.Behaviour.Errors, b.Behaviour.Errors),
		},
		Graph: Graph{Kinds: joined(MaxKinds, a.Graph.Kinds, b.Graph.Kinds), Pairs: joined(MaxPairs, a.Graph.Pairs, b.Graph.Pairs)},
		Words: joined(MaxWords, a.Words, b.Words),
		Uses: Usage{
			Sections: joined(len(hmx.Sections()), a.Uses.Sections, b.Uses.Sections),
			Sources:  joined(len(hmx.SourceTypes()), a.Uses.Sources, b.Uses.Sources),
			Tags:     joined(MaxTags, a.Uses.Tags, b.Uses.Tags),
			Things:   joined(MaxThings, a.Uses.Things, b.Uses.Things),
		},
	}
	x, y := &a.Behaviour, &b.Behaviour
	if cmp.Or(cmp.Compare(x.Tasks, y.Tasks), cmp.Compare(x.Judged, y.Judged), cmp.Compare(x.Succeeded, y.Succeeded)) < 0 {
		x = y
	}
	f.Behaviour.Tasks, f.Behaviour.Judged, f.Behaviour.Succeeded = x.Tasks, x.Judged, x.Succeeded
	return f, f.seal()
}
