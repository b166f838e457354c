package hippocortex

import (
	"path"
	"testing"

	"pgregory.net/rapid"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
)

func TestAnyDocumentSurvives(t *testing.T) {
	for form, draw := range map[Form]func(*rapid.T) []byte{FormEvent: eventText, FormArtifact: artifactText, FormPack: packText} {
		t.Run(string(form), rapid.MakeCheck(func(t *rapid.T) {
			data := draw(t)
			if _, err := hmx.Check(form.Kind(), data); err != nil {
				t.Fatalf("drawn badly: %v\n%s", err, data)
			}
			older := roundTrip(t, form, data)
			if f, ok := DetectForm(older); !ok || f != form.Counterpart() {
				t.Fatalf("detected as %q: %s", f, older)
			}
		}))
	}
}

// foreign draws an older document without an envelope.
func foreign(t *rapid.T, form Form) []byte {
	var out object
	switch form {
	case FormEpisodeTrace:
		out.add("id", id(t))
		out.add("eventType", quoted("observation"))
		out.add("sessionId", id(t))
		out.add("timestamp", moment(t))
		out.add("payload", anyObject(t))
		maybe(t, &out, "salienceScore", fraction)
		maybe(t, &out, "source", text)
		maybe(t, &out, "provenanceRef", text)
		maybe(t, &out, "metadata", func(t *rapid.T) []byte {
			var m object
			owner := []byte(`"o"`) // the same in both spellings
			for _, n := range []string{"agent_id", "agentId", "tenant_id", "tenantId"} {
				maybe(t, &m, n, func(*rapid.T) []byte { return owner })
			}
			extend(t, &m, 2, "agent_id", "agentId", "tenant_id", "tenantId", "hmx")
			return m.text()
		})
	case FormCompiledArtifact:
		documented := append(compiledArtifact.documented(inRoot), "")
		out.add("id", id(t))
		out.add("type", quoted("x-acme-note"))
		out.add("title", id(t))
		out.add("summary", text(t))
		out.add("confidence", fraction(t))
		out.add("status", quoted("draft"))
		out.add("evidenceRefs", texts(t))
		out.add("sourceMemoryIds", texts(t))
		maybe(t, &out, "tags", texts)
		maybe(t, &out, "metadata", func(t *rapid.T) []byte { return objectText(t, 2, "hmx") })
		extend(t, &out, 2, documented...)
	case FormContextPack:
		return withoutEnvelope(t, packText(t))
	}
	return out.text()
}

// withoutEnvelope makes an older pack of an HMX pack by removing the envelope and, sometimes,
// what can be filled in again.
func withoutEnvelope(t *rapid.T, data []byte) []byte {
	older, _, err := Convert(FormPack, FormContextPack, data, nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var d canon.Doc
	d.Parse(older)
	drop := map[string]bool{"/metadata/hmx": true}
	for _, p := range []string{"/metadata", "/tokenBudget/remaining", "/tokenBudget/section_budgets", "/assemblyResult/included_count"} {
		drop[p] = rapid.Bool().Draw(t, p)
	}
	bare := rapid.Bool().Draw(t, "bare entries")
	return strip(&d, d.Root(), func(n canon.Node) bool {
		p := d.Pointer(n)
		ofEntry, _ := path.Match("/entries/*/*", p)
		return drop[p] || bare && ofEntry && (path.Base(p) == "rank" || path.Base(p) == "provenance")
	})
}

// strip returns n without the members that gone selects.
func strip(d *canon.Doc, n canon.Node, gone func(canon.Node) bool) []byte {
	switch d.Kind(n) {
	case canon.Object:
		var out object
		members(d, n, func(c canon.Node) {
			if !gone(c) {
				out.add(string(d.Key(c)), strip(d, c, gone))
			}
		})
		return out.text()
	case canon.Array:
		out := []byte{'['}
		members(d, n, func(c canon.Node) {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, strip(d, c, gone)...)
		})
		return append(out, ']')
	}
	return d.AppendCompact(nil, n)
}

// generous supplies everything that an older document may lack.
func generous() *Options {
	at, _ := hmx.ParseTime("2026-03-14T03:00:00.000Z")
	return &Options{
		Defaults: Defaults{
			AgentID: "default-agent", TenantID: "default-tenant", CreatedAt: at,
			Provenance: hmx.Some(hmx.Provenance{Origin: "import", Confidence: 0.5}),
		},
		Sequencer: &Sequencer{},
	}
}

func TestForeignDocumentsKeepEveryMember(t *testing.T) {
	for _, form := range []Form{FormEpisodeTrace, FormCompiledArtifact, FormContextPack} {
		t.Run(string(form), rapid.MakeCheck(func(t *rapid.T) {
			data := foreign(t, form)
			converted, _, err := Convert(form, form.Counterpart(), data, generous())
			if err != nil {
				t.Fatalf("%v\n%s", err, data)
			}
			keepsMembers(t, data, roundTrip(t, form.Counterpart(), converted))
		}))
	}
}
