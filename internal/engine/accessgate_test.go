package engine_test

import (
	"context"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/scope"
)

// needNoScope are the methods of a board that take no token, and why. All others
// must verify their token.
var needNoScope = map[string]string{
	"AsSystem":         "takes a permission that only this module can make",
	"Close":            "ends the process's use of the directory; tells nothing",
	"Dir":              "where the directory is, which the opener said",
	"ID":               "part of what is signed; public",
	"Now":              "the clock",
	"Damages":          "about files, for the operator of the board",
	"CompileFailures":  "how many compiles failed in the background; for the operator",
	"Failed":           "why writes are refused; about the disk",
	"Verify":           "about the directory as a whole, for the operator of the board",
	"Rebuild":          "about the directory as a whole, for the operator of the board",
	"Purge":            "about the directory as a whole, for the operator of the board",
	"NewKey":           "ends every token; for the operator of the board",
	"Import":           "brings in a tenant as a whole; a handle on a tenant does not have it",
	"Tenants":          "across tenants, so no scope reaches it; a handle on a tenant does not have it",
	"CountTenants":     "across tenants, so no scope reaches it; a handle on a tenant does not have it",
	"Root":             "a hash and a size; the tenant's handle verifies the token before it asks",
	"RootAt":           "a hash; a handle on a tenant does not have it",
	"Reached":          "a number, by which streams are put in order; a handle on a tenant does not have it",
	"Watch":            "that something was recorded, and not what, which Tail tells",
	"Storage":          "how large files are, for the operator of the board; a handle on a tenant does not have it",
	"Weight":           "a number, by which a tenant is held to its quota; a handle on a tenant does not have it",
	"VerifierKey":      "a public key",
	"FormerKeys":       "public keys",
	"Checkpoint":       "cannot be narrowed: the tenant's handle refuses it under a scope",
	"Prove":            "cannot be narrowed: the tenant's handle refuses it under a scope",
	"ProveConsistency": "cannot be narrowed: the tenant's handle refuses it under a scope",
	"VerifyPack":       "cannot be narrowed: the tenant's handle refuses it under a scope",
	"Receipt":          "cannot be narrowed: the tenant's handle refuses it under a scope",
	"Export":           "cannot be narrowed: the tenant's handle refuses it under a scope",
	"Salvage":          "cannot be narrowed: the tenant's handle refuses it under a scope",
	"Fingerprint":      "cannot be narrowed: the tenant's handle refuses it under a scope",
	"CheckScope":       "verifies a token that is an argument; tested by itself",
	"Unscoped":         "verifies a token that is an argument; tested by itself",
}

// sample returns an argument of a type, with the token in every place for one.
func sample(t *testing.T, typ reflect.Type, token string) reflect.Value {
	t.Helper()
	uri := memory.URI{Tenant: "acme", Kind: record.Memory, ID: "m"}
	switch typ {
	case reflect.TypeFor[context.Context]():
		return reflect.ValueOf(ctx)
	case reflect.TypeFor[memory.Body]():
		return reflect.ValueOf(fact("m", "", "Something to keep."))
	case reflect.TypeFor[io.Reader]():
		return reflect.ValueOf(strings.NewReader(""))
	case reflect.TypeFor[io.Writer]():
		return reflect.ValueOf(io.Discard)
	case reflect.TypeFor[memory.URI]():
		return reflect.ValueOf(uri)
	case reflect.TypeFor[[]memory.URI]():
		return reflect.ValueOf([]memory.URI{uri})
	case reflect.TypeFor[[]*hmx.Event]():
		return reflect.ValueOf([]*hmx.Event{event(t, "acme", "e9", 9, "Something that happened.")})
	case reflect.TypeFor[engine.Ref]():
		return reflect.ValueOf(engine.RefOf(uri))
	case reflect.TypeFor[time.Time]():
		return reflect.ValueOf(newClock().Now())
	}
	v := reflect.New(typ).Elem()
	switch typ.Kind() {
	case reflect.String:
		v.SetString("acme")
	case reflect.Struct:
		for i := range typ.NumField() {
			f := typ.Field(i)
			switch {
			case !f.IsExported():
			case f.Name == "Scope" && f.Type.Kind() == reflect.String, f.Name == "Tenant":
				v.Field(i).SetString(map[bool]string{true: token, false: "acme"}[f.Name == "Scope"])
			case f.Name == "Query" && f.Type.Kind() == reflect.String:
				v.Field(i).SetString("something") // a question must not be empty
			case f.Name == "Tags" && f.Type == reflect.TypeFor[[]string]():
				v.Field(i).Set(reflect.ValueOf([]string{"a"})) // something that narrows
			case f.Type == reflect.TypeFor[engine.View](), f.Type == reflect.TypeFor[engine.Writer](), f.Type == reflect.TypeFor[engine.Ref]():
				v.Field(i).Set(sample(t, f.Type, token))
			}
		}
	}
	return v
}

// carries reports whether a method takes a token.
func carries(m reflect.Type) bool {
	for i := range m.NumIn() {
		typ := m.In(i)
		for _, scoped := range []reflect.Type{reflect.TypeFor[engine.View](), reflect.TypeFor[engine.Writer]()} {
			if typ == scoped {
				return true
			}
			if typ.Kind() == reflect.Struct {
				for j := range typ.NumField() {
					if typ.Field(j).Type == scoped && typ.Field(j).IsExported() {
						return true
					}
				}
			}
		}
	}
	return false
}

// call calls a method with sample arguments and returns its error.
func call(t *testing.T, method reflect.Value, token string) error {
	t.Helper()
	var args []reflect.Value
	for i := range method.Type().NumIn() {
		args = append(args, sample(t, method.Type().In(i), token))
	}
	run := method.Call
	if method.Type().IsVariadic() {
		run = method.CallSlice
	}
	out := run(args)
	err, _ := out[len(out)-1].Interface().(error)
	return err
}

// TestEveryMethodAsksTheScope checks all methods of a board: each takes a token
// and verifies it, or is on the list of those that need none.
func TestEveryMethodAsksTheScope(t *testing.T) {
	clock := newClock()
	b := openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: clock.Now})
	if _, err := b.Put(ctx, user, "acme", fact("m", "k", "Something that is there."), engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	everything := func(g *scope.Grant) { g.Include.All, g.Mode = true, scope.Write }
	good := mint(t, b, clock, everything)
	over := mint(t, b, clock, func(g *scope.Grant) { everything(g); g.Expires = clock.Now().Add(time.Minute) })
	early := mint(t, b, clock, func(g *scope.Grant) { everything(g); g.NotBefore = clock.Now().Add(30 * time.Minute) })
	clock.Move(time.Minute)
	other := openWith(t, "data", engine.Options{FS: disk.NewMem(), Clock: clock.Now})
	foreign := mint(t, other, clock, everything)
	stranger, err := b.MintScope(ctx, user, "other", scope.Grant{To: "coder", Expires: clock.Now().Add(time.Hour), Include: scope.Selectors{All: true}})
	if err != nil {
		t.Fatal(err)
	}
	bad := map[string]struct {
		token string
		code  fault.Code
	}{
		"over": {over, fault.ScopeExpired}, "early": {early, fault.ScopeInvalid}, "another board's": {foreign, fault.ScopeInvalid},
		"another tenant's": {stranger, fault.ScopeInvalid}, "cut short": {good[:len(good)-1], fault.ScopeInvalid}, "nonsense": {"secret", fault.ScopeInvalid},
		"huge": {strings.Repeat("A", 1<<20), fault.ScopeInvalid},
	}
	board := reflect.ValueOf(b)
	gated := 0
	for i := range board.NumMethod() {
		name, method := board.Type().Method(i).Name, board.Method(i)
		why, listed := needNoScope[name]
		if takes := carries(method.Type()); takes == listed {
			t.Errorf("%s: takes a token: %v, is listed as one that need not: %v (%s)", name, takes, listed, why)
			continue
		}
		if listed {
			continue
		}
		gated++
		for what, c := range bad {
			if name == "AppendEvents" && what == "another tenant's" || name == "Ingest" && what == "another tenant's" {
				continue // events name their tenants themselves, and are refused one by one
			}
			if err := call(t, method, c.token); fault.CodeOf(err) != c.code {
				t.Errorf("%s with a token that is %s: %v", name, what, err)
			}
		}
	}
	for name := range needNoScope {
		if _, ok := board.Type().MethodByName(name); !ok {
			t.Errorf("%s is on the list, but is no method", name)
		}
	}
	if gated < 19 {
		t.Errorf("only %d methods take a token", gated)
	}
	for what, c := range bad {
		if _, err := b.CheckScope(ctx, "acme", c.token); fault.CodeOf(err) != c.code {
			t.Errorf("CheckScope of a token that is %s: %v", what, err)
		}
		if err := b.Unscoped(ctx, "acme", c.token, "export"); fault.CodeOf(err) != c.code {
			t.Errorf("Unscoped with a token that is %s: %v", what, err)
		}
	}
	if err := b.Unscoped(ctx, "acme", good, "export"); fault.CodeOf(err) != fault.OutOfScope {
		t.Errorf("Unscoped with a good token: %v", err)
	}
	if _, err := b.CheckScope(ctx, "acme", ""); fault.CodeOf(err) != fault.ScopeInvalid {
		t.Errorf("CheckScope of nothing: %v", err)
	}
	if err := b.Unscoped(ctx, "acme", "", "export"); err != nil {
		t.Errorf("Unscoped without a token: %v", err)
	}
	// Nothing was written, and nothing was journaled for an invalid token.
	if root, err := b.Root(ctx, "acme"); err != nil || root.Size != 1 {
		t.Errorf("%d records: %v", root.Size, err)
	}
	sound(t, b)
}

// mint returns a read token for the agent coder, for an hour.
func mint(t testing.TB, b *engine.Board, c *clock, change func(*scope.Grant)) string {
	t.Helper()
	g := scope.Grant{To: "coder", Expires: c.Now().Add(time.Hour)}
	change(&g)
	token, err := b.MintScope(ctx, user, "acme", g)
	if err != nil {
		t.Fatal(err)
	}
	return token
}
