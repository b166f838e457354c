package compile

import (
	"encoding/json"
	"maps"

	"lukasa.dev/hmx"
)

// A finding from a single environment is only known to hold there: a recovery that was only
// ever used in staging is no advice for production. So its content names the environment, and
// its validity scope has it as a condition. Agents of a tenant share findings, and other tags
// describe a subject, not where a finding holds.

// memberWhere is the member of content that names the environment.
const memberWhere = "environment"

// environmentIs is the prefix of a condition that names an environment.
const environmentIs = "environment: "

// Environment returns the condition for an environment.
func Environment(name string) string { return environmentIs + name }

// placed returns content that names an environment.
func placed(content hmx.ArtifactContent, where string) hmx.ArtifactContent {
	name, _ := json.Marshal(where) // a string always encodes
	with := func(extra hmx.Extra) hmx.Extra {
		extra = maps.Clone(extra)
		if extra == nil {
			extra = make(hmx.Extra)
		}
		extra[memberWhere] = hmx.Raw(name)
		return extra
	}
	switch c := content.(type) {
	case hmx.TaskSchema:
		c.Extra = with(c.Extra)
		return c
	case hmx.FailurePlaybook:
		c.Extra = with(c.Extra)
		return c
	case hmx.DecisionPolicy:
		c.Extra = with(c.Extra)
		return c
	case hmx.CausalPattern:
		c.Extra = with(c.Extra)
		return c
	case hmx.StrategyTemplate:
		c.Extra = with(c.Extra)
		return c
	}
	return content
}
