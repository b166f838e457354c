package api

import (
	"strings"
	"testing"

	"lukasa.dev"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
)

// TestVerifyPackOfOthers: an agent has its own packs proven and no others. What is wrong with
// one that it wrote itself would tell what stands in records that are not for it.
func TestVerifyPackOfOthers(t *testing.T) {
	w := newWorld(t)
	agent := func(name string) *auth.Principal {
		return &auth.Principal{Key: "k-" + name, Role: auth.Agent, Tenant: "acme", Agent: name, Rights: auth.Read | auth.Write, Trust: lukasa.Agent}
	}
	made := func(who *auth.Principal, args string) string {
		t.Helper()
		return w.text(w.must(who, "pack", args))
	}
	one := made(agent("one"), `{"query":"refunds"}`)
	for _, pack := range []string{
		made(admin("acme"), `{"query":"refunds"}`),
		made(admin("acme"), `{"query":"refunds","agent_id":"two"}`),
		strings.Replace(one, `"agent_id":"one"`, `"agent_id":"two"`, 1),
		strings.Replace(one, `"agent_id":"one",`, ``, 1),
	} {
		if pack == one {
			t.Fatal("nothing was changed in it")
		}
		if _, err := w.run(agent("one"), "verify_pack", `{"pack":`+pack+`}`); fault.CodeOf(err) != fault.NotPermitted {
			t.Errorf("%.200s: %v", pack, err)
		}
	}
	w.must(agent("one"), "verify_pack", `{"pack":`+one+`}`)
	w.must(admin("acme"), "verify_pack", `{"pack":`+one+`}`)
}
