package api

import (
	"strings"
	"testing"

	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/operation"
)

// mayDo is the naive reading of the table: each line is one sentence about who may call.
func mayDo(o *operation.Operation, p *auth.Principal) bool {
	for i, needed := range []auth.Rights{auth.Read, auth.Write, auth.Admin} {
		if strings.Contains(","+o.Needs.String()+",", ","+[]string{"read", "write", "admin"}[i]+",") && p.Rights&needed == 0 {
			return false
		}
	}
	isOperator, hasScope, namesTenant := p.Role == auth.Operator, p.Scope != "", p.Tenant != ""
	switch {
	case p.Role != auth.Operator && p.Role != auth.Member && p.Role != auth.Agent && p.Role != auth.Holder:
		return false
	case o.Board:
		return isOperator && !hasScope
	case o.Operators && (!isOperator || hasScope):
		return false
	case o.Unscoped && hasScope:
		return false
	case p.Role == auth.Holder && !hasScope:
		return false
	case !namesTenant:
		return isOperator && o.AnyTenant
	}
	return true
}

// Exactly the callers that the table permits may call: for every role, every set of rights,
// with and without a scope and a tenant, and every operation.
func TestAllow(t *testing.T) {
	cases, allowed := 0, 0
	for _, o := range Operations() {
		for role := auth.Role(0); role <= auth.Holder+1; role++ {
			for rights := auth.Rights(0); rights < 8; rights++ {
				for _, scope := range []string{"", "lukasa_scope_1.x"} {
					for _, tenant := range []string{"", "acme"} {
						who := &auth.Principal{Key: "k", Role: role, Tenant: tenant, Rights: rights, Scope: scope}
						err := operation.Allow(o, who)
						cases++
						want := mayDo(o, who)
						if want {
							allowed++
						}
						if (err == nil) != want {
							t.Fatalf("%s by %+v: got %v, and the table says %v", o.Name, who, err, want)
						}
						if err != nil && (fault.CodeOf(err) == fault.Internal || fault.From(err).Advice() == "") {
							t.Fatalf("%s by %+v: %v is no refusal that helps", o.Name, who, err)
						}
					}
				}
			}
		}
		if code := fault.CodeOf(operation.Allow(o, nil)); code != fault.Unauthenticated {
			t.Errorf("%s by nobody is %s", o.Name, code)
		}
	}
	if allowed == 0 || allowed == cases {
		t.Fatalf("%d of %d are allowed", allowed, cases)
	}
}

// No answer to an agent shows the private records of another, whatever agent_id it states.
func TestAgentsSeeTheirOwn(t *testing.T) {
	w := newWorld(t)
	agent := func(name string) *auth.Principal {
		return &auth.Principal{Key: "k-" + name, Role: auth.Agent, Tenant: "acme", Agent: name, Rights: auth.Read | auth.Write, Trust: 3}
	}
	w.must(agent("ada"), "remember", `{"key":"ada/secret","text":"Zanzibar is where it is hidden.","visibility":"private"}`)
	w.must(agent("ada"), "recall", `{"key":"ada/secret"}`)
	for name, args := range asked {
		o := Lookup(name)
		if o.Stream || !o.ReadOnly() || o.Board || operation.Allow(o, agent("bob")) != nil {
			continue
		}
		for from, to := range map[string]string{"release/cadence": "ada/secret", "when are releases cut": "Zanzibar hidden", `"refunds"`: `"Zanzibar hidden"`, `"release"`: `"Zanzibar"`} {
			args = strings.ReplaceAll(args, from, to)
		}
		out, err := w.run(agent("bob"), name, w.fill(args))
		if err != nil {
			if strings.Contains(err.Error(), "Zanzibar is") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if text, ok := out.(*operation.Text); ok && strings.Contains(text.Body, "Zanzibar is") {
			t.Errorf("%s tells bob: %s", name, text.Body)
		} else if !ok && strings.Contains(w.text(out), "Zanzibar is") {
			t.Errorf("%s tells bob: %s", name, w.text(out))
		}
	}
	for _, name := range []string{"pack", "context", "search", "check_action"} {
		args := map[string]string{"pack": `{"query":"x","agent_id":"ada"}`, "context": `{"agent_id":"ada"}`, "search": `{"query":"x","agent_id":"ada"}`, "check_action": `{"tool":"x","agent_id":"ada"}`}[name]
		if _, err := w.run(agent("bob"), name, args); fault.CodeOf(err) != fault.NotPermitted {
			t.Errorf("%s as ada: %v", name, err)
		}
	}
}

// A URI reaches nothing in another tenant.
func TestTenantsNeverMeet(t *testing.T) {
	w := newWorld(t)
	stranger := admin("umbrella")
	w.must(stranger, "remember", `{"key":"own","text":"Something of our own."}`)
	for name, args := range asked {
		o := Lookup(name)
		if o.Stream || operation.Allow(o, stranger) != nil || name == "check_scope" {
			continue
		}
		out, err := w.run(stranger, name, w.fill(args))
		if err == nil && strings.Contains(w.text(out), "acme") && !strings.Contains(asked[name], "lukasa://acme/") && !strings.Contains(asked[name], "{pack}") && !strings.Contains(asked[name], "{fingerprint}") {
			t.Errorf("%s tells a stranger: %s", name, w.text(out))
		}
		if err == nil && strings.Contains(asked[name], "lukasa://acme/") {
			t.Errorf("%s took a name of another tenant: %s", name, w.text(out))
		}
	}
}

// The error for a missing right names the rights that are needed.
func TestAllowNamesTheRights(t *testing.T) {
	who := &auth.Principal{Role: auth.Member, Tenant: "acme", Rights: auth.Read | auth.Write}
	for needs, want := range map[auth.Rights]string{
		auth.Admin:              "x needs the right admin, and this credential has only read and write",
		auth.Write | auth.Admin: "x needs the rights write and admin, and this credential has only read and write",
	} {
		if err := operation.Allow(&operation.Operation{Name: "x", Needs: needs}, who); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A URI of another tenant is refused even if the caller has a record with the same id. A fault
// in a scope that a request names is no reason to doubt the caller's credential.
func TestOthersNames(t *testing.T) {
	w := newWorld(t)
	own := `{"session_id":"s","event_id":"{event}","event_type":"message","content":{"role":"user","text":"Ours."}}`
	w.must(admin("umbrella"), "record_event", w.fill(own))
	for name, args := range map[string]string{
		"prove_inclusion": `{"name":"lukasa://acme/event/{event}"}`, "resolve": `{"name":"lukasa://acme/event/{event}"}`,
		"redact_memory": `{"names":["lukasa://acme/event/{event}"]}`, "memory_history": `{"name":"lukasa://acme/memory/x"}`,
		"mint_scope": `{"to":"helper","include":{"all":true,"pinned":true},"expires_at":"2026-11-17T12:00:00Z"}`, "check_scope": `{"token":"none"}`,
	} {
		if out, err := w.run(admin("umbrella"), name, w.fill(args)); fault.CodeOf(err) != fault.InvalidArgument {
			t.Errorf("%s: %v, %v", name, out, err)
		}
	}
	w.must(admin("umbrella"), "prove_inclusion", w.fill(`{"name":"lukasa://umbrella/event/{event}"}`))
}
