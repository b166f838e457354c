package compile

import (
	"lukasa.dev/internal/policy"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/trace"
)

// shownPolicy is a policy with what its finding says of it.
type shownPolicy struct {
	Policy
	// Sources are the steps that were counted, in the order of the journal; of more
	// than HMX-A allows, the newest.
	Sources []trace.Ref
	// Trust is the lowest of the sources.
	Trust record.Trust
	// Chosen is how often all tools together were taken, whether counted or not; Tool
	// is empty.
	Chosen policy.Chosen
}

// shown adds to policies what their findings say of them.
func shown(policies []Policy, err error) ([]shownPolicy, error) {
	var out []shownPolicy
	for i := range policies {
		f := &policies[i].finding
		p := shownPolicy{Policy: policies[i], Trust: f.sources.trust}
		for _, s := range f.sources.inOrder() {
			p.Sources = append(p.Sources, *s.ref)
		}
		p.Chosen = policy.Chosen{Count: int64(f.all.all), Judged: int64(f.all.judged), Succeeded: int64(f.all.succeeded)}
		out = append(out, p)
	}
	return out, err
}

// policiesOf returns what followed each tool in which state, and when each tool was
// taken, in the order of their keys, whether that tells something or not.
func policiesOf(traces []*trace.Trace) ([]shownPolicy, error) {
	return shown(newCorpus(traces).policies())
}

// choicesOf returns the policies of questions that agents decided more than once, in
// the order of their keys.
func choicesOf(traces []*trace.Trace) ([]shownPolicy, error) {
	return shown(newCorpus(traces).choices())
}
