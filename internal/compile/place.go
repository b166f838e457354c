package compile

import (
	"encoding/json"
	"maps"
	"strings"

	"lukasa.dev/hmx"
)

// What is known from one environment only holds there, as far as anybody knows: a way to
// recover that was only ever taken in staging is no advice for production. So its content
// names the environment, and its scope has it as a condition. Agents of a tenant share
// what they know, and other tags say what something is about, not where it holds.

// memberWhere is the member of content that names the environment.
const memberWhere = "environment"

// environmentIs is what a condition begins with that names an environment.
const environmentIs = "environment: "

// Environment returns the condition that says that one is in an environment.
func Environment(name string) string { return environmentIs + name }

// Held returns the conditions that may be taken to hold for somebody in an environment:
// all but those that name another. It is empty if the environment is not known, and then
// nothing speaks against any.
func Held(conditions []string, environment string) []string {
	if environment == "" {
		return conditions
	}
	var out []string
	for _, c := range conditions {
		if name, ok := strings.CutPrefix(c, environmentIs); !ok || name == environment {
			out = append(out, c)
		}
	}
	return out
}

// placed returns content that names an environment.
func placed(content hmx.ArtifactContent, where string) hmx.ArtifactContent {
	name, _ := json.Marshal(where) // a text can be written
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
