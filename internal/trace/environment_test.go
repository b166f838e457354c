package trace

import (
	"fmt"
	"testing"

	"lukasa.dev/hmx"
)

func TestEnvironmentIn(t *testing.T) {
	for _, c := range []struct {
		tags []string
		want string
	}{
		{nil, ""}, {[]string{"deployment"}, ""}, {[]string{"staging", "deployment"}, "staging"}, {[]string{"Prod"}, "production"},
		{[]string{"env:prod", "production"}, "production"}, {[]string{"environment=EU-2"}, "eu-2"}, {[]string{"env/dev"}, "development"},
		{[]string{"staging", "production"}, ""}, {[]string{"test"}, ""}, {[]string{"env:test"}, "test"}, {[]string{"live"}, ""}, {[]string{"env:live"}, "production"},
		{[]string{"env:"}, ""}, {[]string{"env:a b"}, ""}, {[]string{"envy:x"}, ""}, {[]string{":staging"}, ""},
	} {
		if got := EnvironmentIn(c.tags); got != c.want {
			t.Errorf("%v: %q, want %q", c.tags, got, c.want)
		}
	}
}

// TestWhere: a task is from the environment that its events name, if that is one.
func TestWhere(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []string // tags and metadata of messages
		want   string
	}{
		{"none", []string{`"metadata":{}`, `"metadata":{"environment":5}`}, ""},
		{"some say it", []string{`"metadata":{}`, `"metadata":{},"tags":["staging","a"]`, `"metadata":{"env":"Staging"}`}, "staging"},
		{"metadata", []string{`"metadata":{"environment":"prod"}`}, "production"},
		{"tags before metadata", []string{`"metadata":{"environment":"prod"},"tags":["staging"]`}, "staging"},
		{"several", []string{`"metadata":{},"tags":["staging"]`, `"metadata":{},"tags":["production"]`, `"metadata":{},"tags":["staging"]`}, ""},
	} {
		var r Reader
		for i, more := range c.events {
			ev, _, err := hmx.DecodeEvent(fmt.Appendf(nil, `{"hmx_version":"HMX-1.0","event_id":"e%d","event_type":"message","agent_id":"a","session_id":"s","tenant_id":"t","timestamp":"2026-01-02T03:04:05Z","sequence":%d,"content":{"role":"user","text":"Deploy the service, please."},%s}`, i, i, more))
			if err != nil {
				t.Fatal(err)
			}
			r.Add(Event{Event: ev, Position: uint64(i)})
		}
		got := r.Trace()
		if len(got.Tasks) != 1 || got.Tasks[0].Where != c.want {
			t.Errorf("%s: %+v", c.name, got.Tasks)
		}
		back, err := Decode(Append(nil, []*Trace{got}), nil)
		if err != nil || back[0].Tasks[0].Where != c.want {
			t.Errorf("%s: read back as %+v, %v", c.name, back, err)
		}
	}
}
