package compile

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace"
)

// Compiler and Version are in the metadata of the artifacts of this package. Version is raised
// whenever the same traces may give other artifacts.
const (
	Compiler = "lukasa"
	Version  = 2
)

// Defaults of the options.
const (
	DefaultMinSupport    = 2
	DefaultMinConfidence = 0.2
	DefaultHalfLife      = 90 * 24 * time.Hour
)

// Limits of what is written besides content.
const (
	maxTitle   = 160
	maxSummary = 600
	maxTags    = 24
	overhead   = 16 << 10 // maximum bytes of an artifact besides content and sources
)

// Options configures mining and merging. Zero values mean the defaults.
type Options struct {
	Tenant string
	// Now is the time of the tenant's newest event. It is the time of new artifacts, and the
	// reference of the age of evidence.
	Now hmx.Time
	// MinSupport and MinConfidence are the minimum for a draft to become active.
	MinSupport    int
	MinConfidence float64
	// HalfLife is the age at which the recency of evidence counts half.
	HalfLife time.Duration
	// Resolves reports whether an event exists. Nil means that all do. A caller that erased
	// events since the last compile sets it, so that artifacts lose that evidence.
	Resolves func(id string) bool
	// Erased reports whether an artifact with this id was erased. Nil means that none was.
	Erased func(id string) bool
	// ByHand reports whether an operator set the current status of an artifact: approved or
	// deprecated it. Nil means that none did. Archived artifacts were always archived by hand.
	ByHand func(a *hmx.Artifact) bool
}

// Draft is a mined artifact before Merge decides about it.
type Draft struct {
	// Key names its subject, with its type, and is the same in every version.
	Key string
	// Artifact lacks an id, a version, links to other versions and, if Sources has to list
	// them, its source events. Its status is draft, and its metadata names the compiler and the
	// key.
	Artifact hmx.Artifact
	// Trust is the lowest trust of its sources.
	Trust record.Trust
	// Support is how often it was observed.
	Support int
	// Against says why the evidence contradicts it; empty if it does not.
	Against string

	list func() []string // its source events; nil if Artifact has them
}

// Sources returns the ids of its source events. For a draft of Mine they are listed on each
// call, since most drafts repeat what is known.
func (d *Draft) Sources() []string {
	if d.list == nil {
		return d.Artifact.SourceEvents
	}
	return d.list()
}

// metadata describes how an artifact was made.
type metadata struct {
	Compiler string `json:"compiler"`
	Version  int    `json:"compiler_version"`
	Key      string `json:"key"`
	Counted  int    `json:"counted"`  // observations counted in content
	Observed int    `json:"observed"` // observations at the time it was made
	Trust    string `json:"trust"`    // the lowest of the sources
	Says     string `json:"says"`     // digest of its content without counts
}

// finding is the result of a miner.
type finding struct {
	about          string // the key without the type
	title, summary string
	content        hmx.ArtifactContent
	sources        evidence
	all            tally // observations, and the outcomes of their tasks
	consistency    float64
	tags           []string
	against        string
}

// miners lists the miners, the slowest first.
func miners() []func(*corpus) ([]finding, error) {
	return []func(*corpus) ([]finding, error){policyFindings, schemas, playbooks, causes, strategies, choiceFindings}
}

// Mine returns the drafts from all traces of a tenant, sorted by key. It fails only if the
// context is done or a draft cannot be encoded. It uses several processors, which does not
// affect the result.
func Mine(ctx context.Context, traces []*trace.Trace, o Options) ([]Draft, error) {
	c := newCorpus(traces)
	all := miners()
	found, errs := make([][]Draft, len(all)), make([]error, len(all))
	var next atomic.Int32
	work := func() {
		for i := int(next.Add(1)) - 1; i < len(all); i = int(next.Add(1)) - 1 {
			found[i], errs[i] = o.mine(ctx, c, all[i])
		}
	}
	var others sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(all)) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	drafts := slices.Concat(found...)
	slices.SortFunc(drafts, func(a, b Draft) int { return strings.Compare(a.Key, b.Key) })
	return slices.CompactFunc(drafts, func(a, b Draft) bool { return a.Key == b.Key }), nil
}

// mine returns the drafts of one miner.
func (o *Options) mine(ctx context.Context, c *corpus, miner func(*corpus) ([]finding, error)) ([]Draft, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found, err := miner(c)
	if err != nil {
		return nil, err
	}
	drafts := make([]Draft, len(found))
	for i := range found {
		if drafts[i], err = o.draft(&found[i]); err != nil {
			return nil, err
		}
		found[i] = finding{} // its evidence is in the draft
	}
	return drafts, nil
}

// draft makes an artifact of a finding.
func (o *Options) draft(f *finding) (Draft, error) {
	a := hmx.Artifact{
		HMXVersion: hmx.Version, Title: clip(f.title, maxTitle), Summary: clip(f.summary, maxSummary), Status: hmx.StatusDraft,
		SourceMemoryIDs: []string{}, CreatedAt: o.Now, ObservedCount: hmx.Some(int64(f.all.all)),
	}
	if where := f.sources.environment(); where != "" {
		f.content = placed(f.content, where)
		a.ValidityScope = hmx.Some(hmx.ValidityScope{Conditions: []string{Environment(where)}})
	}
	if err := a.SetContent(f.content); err != nil {
		return Draft{}, fmt.Errorf("%s: %w", f.about, err)
	}
	if o.Now.IsZero() {
		a.CreatedAt = trace.Ref{Time: f.sources.newest}.When()
	}
	if o.Tenant != "" {
		a.TenantID = hmx.Some(o.Tenant)
	}
	if f.all.judged > 0 {
		a.SuccessRate = hmx.Some(thousandths(float64(f.all.succeeded) / float64(f.all.judged)))
	}
	a.Confidence = o.confidence(f)
	for _, t := range f.tags {
		if len(a.Tags) < maxTags && t != "" && !slices.Contains(a.Tags, t) {
			a.Tags = append(a.Tags, t)
		}
	}
	d := Draft{Key: string(a.ArtifactType) + " " + f.about, Trust: f.sources.trust, Support: f.all.all, Against: f.against}
	meta, err := json.Marshal(metadata{Compiler, Version, d.Key, counted(f.all.all), f.all.all, f.sources.trust.String(), says(f.content)})
	if err != nil {
		return Draft{}, fmt.Errorf("%s: metadata: %w", d.Key, err)
	}
	a.Metadata = hmx.Raw(meta)
	sources, room := f.sources, hmx.MaxArtifactBytes-overhead-len(a.Content)
	if sources.list == nil {
		a.SourceEvents = fitting(sources.inOrder(), room)
	} else {
		d.list = func() []string { return fitting(sources.inOrder(), room) }
	}
	d.Artifact = a
	return d, nil
}

// fitting returns the event ids that fit, the newest if there are more.
func fitting(refs []source, room int) []string {
	ids := make([]string, len(refs))
	for i, r := range refs {
		ids[i] = r.ref.ID
	}
	return lastFitting(ids, room)
}

// lastFitting returns the last ids that fit.
func lastFitting(ids []string, room int) []string {
	from := len(ids)
	for from > 0 {
		room -= written(ids[from-1])
		if room < 0 {
			break
		}
		from--
	}
	return ids[from:]
}

// written returns an upper bound of the bytes of a text in JSON, with a comma.
func written(text string) int {
	n := len(text) + len(`"",`)
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			n += len(`\u0000`) - 1
		}
	}
	return n
}

// The parts of confidence; docs/compile.md has the formula.
const (
	doubtOfFew   = 2.0 // assumed evidence against every observation
	shareOfBase  = 0.4
	shareOfAgree = 0.3
	shareOfGood  = 0.3
	shareOfOld   = 0.5
)

// confidence returns the confidence in a finding: it grows with evidence that agrees, comes
// from successful tasks and is recent.
func (o *Options) confidence(f *finding) float64 {
	n := float64(counted(f.all.all))
	support := n / (n + doubtOfFew)
	success := float64(f.all.succeeded+1) / float64(f.all.judged+2)
	quality := shareOfBase + float64(shareOfAgree*f.consistency) + float64(shareOfGood*success)
	return thousandths(float64(float64(support*quality) * o.recency(f.sources.newest)))
}

// recency is 1 for the present, and falls to shareOfOld with age.
func (o *Options) recency(at int64) float64 {
	half := cmp.Or(o.HalfLife, DefaultHalfLife).Milliseconds()
	age := int64(0)
	if !o.Now.IsZero() {
		age = max(0, o.Now.Time().UnixMilli()-at)
	}
	young := float64(half) / (float64(half) + float64(age))
	return shareOfOld + float64((1-shareOfOld)*young)
}

func thousandths(x float64) float64 { return math.Round(float64(min(max(x, 0), 1)*1000)) / 1000 }

// share returns part/all, 0 if all is 0.
func share(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

// members encodes the members of content beyond those of HMX-A.
func members(of map[string]any) (hmx.Extra, error) {
	extra := make(hmx.Extra, len(of))
	for name, v := range of {
		data, err := json.Marshal(v)
		if err == nil {
			data, err = hmx.Canonicalize(data)
		}
		if err != nil {
			return nil, fmt.Errorf("content, member %s: %w", name, err)
		}
		extra[name] = hmx.Raw(data)
	}
	return extra, nil
}
