package compile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"lukasa.dev/hmx"
)

// saysOf returns the digest of an artifact's statement without counts, from its metadata; empty
// if the compiler did not record it.
func saysOf(a *hmx.Artifact) string {
	var meta metadata
	if json.Unmarshal([]byte(a.Metadata), &meta) != nil {
		return ""
	}
	return meta.Says
}

// says returns a digest of the statement of content: its steps, recommendation, cause and
// effect, without counts and rates. Contents with equal digests differ only in counts.
func says(content hmx.ArtifactContent) string {
	var parts []string
	add := func(name string, list ...string) {
		for _, text := range list {
			parts = append(parts, name+" "+text)
		}
	}
	switch c := content.(type) {
	case hmx.TaskSchema:
		for _, s := range c.Steps {
			add(fmt.Sprint("step ", s.Optional.Or(false)), s.Description)
		}
		add("before", c.Preconditions...)
		add("behind", c.Postconditions...)
	case hmx.FailurePlaybook:
		add("failure", c.FailurePattern, c.Severity)
		add("trigger", uncounted(c.TriggerConditions)...)
		add("recovery", c.RecoverySteps...)
		add("prevention", sortedWords(uncounted(c.PreventionStrategies))...)
	case hmx.DecisionPolicy:
		add("condition", sortedWords(strings.Fields(strings.ReplaceAll(c.Condition, ",", "")))...)
		add("recommendation", c.Recommendation)
	case hmx.CausalPattern:
		add("cause", c.Cause)
		add("effect", c.Effect, c.Direction)
	case hmx.StrategyTemplate:
		add("goal", sortedWords(strings.Fields(c.Goal))...)
		for _, p := range c.Phases {
			add("phase", p.Name)
			add("tool", sortedWords(p.ToolsUsed)...)
		}
	}
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d %s\n", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// sortedWords returns a sorted list, since the order of its items depends on counts.
func sortedWords(list []string) []string { return slices.Sorted(slices.Values(list)) }

// countsTold matches counts in texts.
var countsTold = regexp.MustCompile(`\d+ of \d+`)

// uncounted returns texts without their counts.
func uncounted(list []string) []string {
	out := make([]string, len(list))
	for i, text := range list {
		out[i] = countsTold.ReplaceAllString(text, "#")
	}
	return out
}
