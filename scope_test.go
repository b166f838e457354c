package lukasa_test

import (
	"context"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"lukasa.dev"
)

// needNoScope are the methods of a tenant's handle that check no token, with the reason.
var needNoScope = map[string]string{
	"Name":        "what the handle was made with",
	"URI":         "makes a name out of what it is given",
	"Scoped":      "makes a handle; every call of that one asks",
	"AsSystem":    "makes a handle; every call of that one asks",
	"VerifierKey": "a public key",
	"FormerKeys":  "public keys",
	"Watch":       "it tells that there is something new, and nothing of it; Tail reads, within the scope",
}

// argument returns a value of a type that passes the first checks of a call.
func argument(typ reflect.Type) reflect.Value {
	switch typ {
	case reflect.TypeFor[context.Context]():
		return reflect.ValueOf(context.Background())
	case reflect.TypeFor[lukasa.Body]():
		return reflect.ValueOf(&lukasa.Memory{Type: "fact", Text: "Something."})
	case reflect.TypeFor[*lukasa.Memory]():
		return reflect.ValueOf(&lukasa.Memory{Type: "fact", Text: "Something."})
	case reflect.TypeFor[*lukasa.Fingerprint]():
		f, err := lukasa.MergeFingerprints(&lukasa.Fingerprint{Format: 1})
		if err != nil {
			panic(err)
		}
		return reflect.ValueOf(f)
	case reflect.TypeFor[lukasa.Ref]():
		return reflect.ValueOf(lukasa.Ref{ID: "m"})
	case reflect.TypeFor[lukasa.URI]():
		return reflect.ValueOf(lukasa.URI{Kind: lukasa.MemoryKind, ID: "m"})
	case reflect.TypeFor[lukasa.Kind]():
		return reflect.ValueOf(lukasa.EntityKind)
	case reflect.TypeFor[lukasa.EventQuery]():
		return reflect.ValueOf(lukasa.EventQuery{Session: "s"})
	case reflect.TypeFor[lukasa.FindOptions]():
		return reflect.ValueOf(lukasa.FindOptions{Tags: []string{"a"}})
	case reflect.TypeFor[io.Writer]():
		return reflect.ValueOf(io.Discard)
	case reflect.TypeFor[time.Time]():
		return reflect.ValueOf(time.Now())
	case reflect.TypeFor[lukasa.Grant]():
		return reflect.ValueOf(lukasa.Grant{To: "x", Expires: time.Now().Add(time.Hour), Include: lukasa.Selectors{All: true}})
	case reflect.TypeFor[string]():
		return reflect.ValueOf("m")
	}
	return reflect.Zero(typ)
}

// callAll calls every method of a handle that must check its token, and returns the codes of
// their errors.
func callAll(t *testing.T, handle *lukasa.Tenant) map[string]string {
	t.Helper()
	codes := make(map[string]string)
	v := reflect.ValueOf(handle)
	for i := range v.NumMethod() {
		name, method := v.Type().Method(i).Name, v.Method(i)
		if _, listed := needNoScope[name]; listed {
			continue
		}
		var args []reflect.Value
		fixed := method.Type().NumIn()
		if method.Type().IsVariadic() {
			fixed--
		}
		for j := range fixed {
			args = append(args, argument(method.Type().In(j)))
		}
		if method.Type().IsVariadic() {
			args = append(args, argument(method.Type().In(fixed).Elem()))
		}
		out := method.Call(args)
		err, ok := out[len(out)-1].Interface().(error)
		if !ok {
			t.Errorf("%s succeeds, or cannot fail", name)
			continue
		}
		codes[name] = lukasa.CodeOf(err)
	}
	for name := range needNoScope {
		if _, ok := v.Type().MethodByName(name); !ok {
			t.Errorf("%s is on the list, but is no method", name)
		}
	}
	return codes
}

// TestEveryCallCarriesTheToken calls all methods of a handle with a scope: each refuses an
// invalid token, or is on the list of those that check none.
func TestEveryCallCarriesTheToken(t *testing.T) {
	ctx := context.Background()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	board, err := lukasa.Open(t.TempDir(), lukasa.Options{Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer board.Close()
	acme := board.Tenant("acme", lukasa.Writer{Actor: "ann", Trust: lukasa.User})
	if _, err := acme.Remember(ctx, &lukasa.Memory{ID: "m", Type: "fact", Key: "k", Text: "It is there."}); err != nil {
		t.Fatal(err)
	}
	token, err := acme.MintScope(ctx, lukasa.Grant{To: "coder", Mode: lukasa.ScopeWrite, Expires: now.Add(time.Hour), Include: lukasa.Selectors{All: true}})
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := lukasa.NarrowScope(token, lukasa.Grant{To: "tests", Mode: lukasa.ScopeRead, BudgetTokens: 100})
	if err != nil {
		t.Fatal(err)
	}
	other, err := acme.MintScope(ctx, lukasa.Grant{To: "other", Expires: now.Add(time.Hour), Include: lukasa.Selectors{All: true}})
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := lukasa.SealScope(narrow)
	if err != nil {
		t.Fatal(err)
	}
	for what, handle := range map[string]*lukasa.Tenant{
		"nothing":                       acme.Scoped(""),
		"nothing, below a scope":        acme.Scoped(token).Scoped(""),
		"nonsense":                      acme.Scoped("nonsense"),
		"cut short":                     acme.Scoped(token[:len(token)-4]),
		"another token, below a scope":  acme.Scoped(narrow).Scoped(other),
		"a wider token, below a scope":  acme.Scoped(narrow).Scoped(token),
		"an unsealed one, below a seal": acme.Scoped(sealed).Scoped(narrow),
		"of another tenant":             board.Tenant("other", lukasa.Writer{Actor: "ann", Trust: lukasa.User}).Scoped(token),
		"in the writer":                 board.Tenant("acme", lukasa.Writer{Actor: "coder", Scope: "nonsense"}),
	} {
		for name, code := range callAll(t, handle) {
			if code != "scope_invalid" {
				t.Errorf("%s with a token that is %s: %q", name, what, code)
			}
		}
	}
	// The token of a view must equal the handle's, or be narrower.
	for what, c := range map[string]struct{ handle, view, code string }{
		"the same":          {narrow, narrow, ""},
		"a narrower one":    {token, narrow, ""},
		"a sealed one":      {narrow, sealed, ""},
		"a wider one":       {narrow, token, "scope_invalid"},
		"another one":       {narrow, other, "scope_invalid"},
		"one of its own":    {"", narrow, ""},
		"none of its own":   {narrow, "", ""},
		"a narrower handle": {"", "nonsense", "scope_invalid"},
	} {
		handle := acme
		if c.handle != "" {
			handle = acme.Scoped(c.handle)
		}
		_, err := handle.Get(ctx, lukasa.Ref{ID: "m"}, lukasa.View{Scope: c.view})
		if lukasa.CodeOf(err) != c.code {
			t.Errorf("a view with %s: %v", what, err)
		}
		if _, err := handle.List(ctx, lukasa.ListOptions{View: lukasa.View{Scope: c.view}}); lukasa.CodeOf(err) != c.code {
			t.Errorf("a list with %s: %v", what, err)
		}
		if _, err := handle.Events(ctx, lukasa.EventQuery{Session: "s", View: lukasa.View{Scope: c.view}}); lukasa.CodeOf(err) != c.code {
			t.Errorf("events with %s: %v", what, err)
		}
	}
	good := acme.Scoped(token)
	for name, call := range map[string]func() error{
		"redact":            func() error { _, err := good.Redact(ctx, good.URI(lukasa.MemoryKind, "m")); return err },
		"expire":            func() error { _, err := good.Expire(ctx, now); return err },
		"export":            func() error { _, err := good.Export(ctx, io.Discard, nil); return err },
		"prove":             func() error { _, err := good.Prove(ctx, lukasa.ProveOptions{}); return err },
		"verify pack":       func() error { _, err := good.VerifyPack(ctx, new(lukasa.Pack), lukasa.VerifyPackOptions{}); return err },
		"prove consistency": func() error { _, err := good.ProveConsistency(ctx, 0, 1); return err },
		"receipt":           func() error { _, err := good.Receipt(ctx, 0); return err },
		"checkpoint":        func() error { _, err := good.Checkpoint(ctx); return err },
		"mint": func() error {
			_, err := good.MintScope(ctx, lukasa.Grant{To: "x", Expires: now.Add(time.Minute), Include: lukasa.Selectors{All: true}})
			return err
		},
	} {
		if err := call(); lukasa.CodeOf(err) != "out_of_scope" {
			t.Errorf("%s under a scope: %v", name, err)
		}
	}
	if root, err := good.Root(ctx); err != nil || root.Size == 0 {
		t.Errorf("%+v, %v", root, err)
	}
	now = now.Add(time.Hour)
	for name, code := range callAll(t, acme.Scoped(token)) {
		if name == "CheckScope" {
			continue // it checks the token in its argument
		}
		if code != "scope_expired" {
			t.Errorf("%s with a token that is over: %q", name, code)
		}
	}
}

// TestScopesEndToEnd is the life of a token in a program.
func TestScopesEndToEnd(t *testing.T) {
	ctx := context.Background()
	now := time.Now()
	board, err := lukasa.Open(t.TempDir(), lukasa.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer board.Close()
	acme := board.Tenant("acme", lukasa.Writer{Actor: "ann", Trust: lukasa.User})
	for _, m := range []*lukasa.Memory{
		{Key: "open", Type: "fact", Text: "Open to all."}, {Key: "payroll", Type: "fact", Text: "Who earns what.", Tags: []string{"payroll"}},
	} {
		if _, err := acme.Remember(ctx, m); err != nil {
			t.Fatal(err)
		}
	}
	token, err := acme.MintScope(ctx, lukasa.Grant{
		To: "coder", Mode: lukasa.ScopeWrite, Trust: lukasa.User, BudgetTokens: 2000, Expires: now.Add(time.Hour),
		Include: lukasa.Selectors{Types: []string{"fact"}}, Exclude: lukasa.Selectors{Tags: []string{"payroll"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	sub, err := lukasa.NarrowScope(token, lukasa.Grant{To: "tests", Mode: lukasa.ScopeRead, BudgetTokens: 500, Trust: lukasa.Tool})
	if err != nil {
		t.Fatal(err)
	}
	s, err := acme.CheckScope(ctx, sub)
	if err != nil {
		t.Fatal(err)
	}
	if s.To != "coder/tests" || s.By != "ann" || s.Mode != lukasa.ScopeRead || s.BudgetTokens != 500 || s.Trust != lukasa.Tool || s.Tenant != "acme" || len(s.Grants) != 2 || s.Sealed || s.ID == "" || s.Expires.IsZero() {
		t.Errorf("%+v", s)
	}
	grants, sealed, err := lukasa.InspectScope(sub)
	if err != nil || sealed || len(grants) != 2 || grants[1].By != "coder" {
		t.Errorf("%+v, %v, %v", grants, sealed, err)
	}
	coder, tests := acme.Scoped(token), acme.Scoped(token).Scoped(sub)
	if _, err := coder.Remember(ctx, &lukasa.Memory{Key: "by-coder", Type: "fact", Text: "Written by the coder."}); err != nil {
		t.Error(err)
	}
	thing, err := tests.Recall(ctx, "by-coder")
	if err != nil || thing.Actor != "coder" || thing.Trust != lukasa.User {
		t.Errorf("%+v, %v", thing, err)
	}
	_, hidden := tests.Recall(ctx, "payroll")
	_, absent := tests.Recall(ctx, "payrolls")
	if lukasa.CodeOf(hidden) != "not_found" || strings.ReplaceAll(absent.Error(), "payrolls", "payroll") != hidden.Error() {
		t.Errorf("hidden: %v, absent: %v", hidden, absent)
	}
	if _, err := tests.Remember(ctx, &lukasa.Memory{Key: "by-tests", Type: "fact", Text: "No."}); lukasa.CodeOf(err) != "out_of_scope" {
		t.Error(err)
	}
	page, err := acme.List(ctx, lukasa.ListOptions{Kind: lukasa.ViolationKind})
	if err != nil || len(page.Things) != 1 || page.Things[0].Body.(*lukasa.Violation).AgentID != "coder/tests" {
		t.Errorf("%+v, %v", page, err)
	}
	if page, err := coder.List(ctx, lukasa.ListOptions{Kind: lukasa.ViolationKind}); err != nil || len(page.Things) != 0 {
		t.Errorf("under a scope: %+v, %v", page, err)
	}
	if err := board.NewKey(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := coder.Recall(ctx, "open"); lukasa.CodeOf(err) != "scope_invalid" {
		t.Errorf("after a new key: %v", err)
	}
}
