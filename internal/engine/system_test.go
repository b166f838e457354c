package engine_test

import (
	"bytes"
	"reflect"
	"testing"

	"lukasa.dev/hmx"
	"lukasa.dev/internal/disk"
	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
)

// needNoTenant are the methods of a board that are about no tenant, or reveal nothing of
// it.
var needNoTenant = map[string]string{
	"AsSystem": "", "Close": "", "CompileFailures": "", "Dir": "", "ID": "", "Now": "", "Damages": "", "Failed": "", "Verify": "", "Rebuild": "", "Purge": "", "NewKey": "",
	"Tenants": "leaves it out; tested below", "CountTenants": "leaves it out; tested below",
	"AppendEvents": "refuses events one by one; tested below", "Ingest": "refuses events one by one; tested below", "Import": "names it in what is read; tested below",
	"Embed": "needs an embedder, and reads as others do", "Refine": "needs a language model, and reads as others do",
	"VerifyPack": "needs a pack of the tenant, which nobody has", "VerifierKey": "a public key", "FormerKeys": "public keys", "Watch": "that something was recorded, and not what", "Storage": "how large files are",
	"CheckScope": "there is no scope of it, since none is minted", "Unscoped": "there is no scope of it, since none is minted",
}

// wanted are fields without which some methods do not check the tenant at all.
var wanted = map[string]string{"Actor": "tester", "Topic": "x", "ID": "x", "To": "archived", "Reason": "x", "Resolution": "x"}

// renamed replaces the tenant of the samples in a value.
func renamed(v reflect.Value, to string) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() && v.String() == "acme" {
			v.SetString(to)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			if value, ok := wanted[v.Type().Field(i).Name]; ok && f.Kind() == reflect.String && f.CanSet() && f.String() == "" {
				f.SetString(value)
			}
			renamed(f, to)
		}
	case reflect.Slice:
		for i := range v.Len() {
			renamed(v.Index(i), to)
		}
	}
}

// TestSystemTenant checks all methods of a board: a caller that is not admitted neither
// reads nor writes the system tenant, and no list contains it.
func TestSystemTenant(t *testing.T) {
	b := open(t, disk.NewMem(), "data")
	inside := b.AsSystem(engine.System())
	if _, err := inside.Put(ctx, user, engine.SystemTenant, fact("m", "k", "password=hunter2"), engine.AnyVersion()); err != nil {
		t.Fatal(err)
	}
	ev := event(t, engine.SystemTenant, "e1", 1, "password=hunter2")
	if res, err := inside.AppendEvents(ctx, user, []*hmx.Event{ev}); err != nil || res.Accepted != 1 || res.Scrubbed != 0 {
		t.Fatalf("%+v, %v", res, err)
	}
	board := reflect.ValueOf(b)
	gated := 0
	for i := range board.NumMethod() {
		name, method := board.Type().Method(i).Name, board.Method(i)
		if _, listed := needNoTenant[name]; listed {
			continue
		}
		gated++
		var args []reflect.Value
		for j := range method.Type().NumIn() {
			arg := reflect.New(method.Type().In(j)).Elem()
			arg.Set(sample(t, method.Type().In(j), ""))
			renamed(arg, engine.SystemTenant)
			args = append(args, arg)
		}
		run := method.Call
		if method.Type().IsVariadic() {
			run = method.CallSlice
		}
		out := run(args)
		if err, _ := out[len(out)-1].Interface().(error); fault.CodeOf(err) != fault.NotPermitted {
			t.Errorf("%s: %v", name, err)
		}
	}
	if gated < 25 {
		t.Errorf("only %d methods were tried", gated)
	}
	res, err := b.AppendEvents(ctx, user, []*hmx.Event{event(t, engine.SystemTenant, "e2", 2, "x"), event(t, "acme", "e2", 2, "x")})
	if err != nil || res.Refused != 1 || res.Accepted != 1 || res.Receipts[0].Fault.Code != fault.NotPermitted {
		t.Errorf("%+v, %v", res, err)
	}
	line, err := event(t, engine.SystemTenant, "e3", 3, "x").AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	if report, err := b.Ingest(ctx, bytes.NewReader(line), engine.IngestOptions{Writer: user}); err != nil || report.Rejected != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	for root, err := range b.Tenants(ctx) {
		if err != nil || root.Tenant != "acme" {
			t.Errorf("%q is listed: %v", root.Tenant, err)
		}
	}
	if n, err := b.CountTenants(ctx); err != nil || n != 1 {
		t.Errorf("%d tenants, %v", n, err)
	}
	if root, err := inside.Root(ctx, engine.SystemTenant); err != nil || root.Size != 2 {
		t.Errorf("%d records, %v", root.Size, err)
	}
	// Its content is unchanged, and is in its export.
	var out bytes.Buffer
	if _, err := inside.Export(ctx, engine.SystemTenant, &out, nil); err != nil || !bytes.Contains(out.Bytes(), []byte("hunter2")) {
		t.Errorf("%s, %v", out.Bytes(), err)
	}
	other := open(t, disk.NewMem(), "data")
	if _, err := other.Import(ctx, bytes.NewReader(out.Bytes()), nil); fault.CodeOf(err) != fault.NotPermitted {
		t.Errorf("imported by anybody: %v", err)
	}
	if report, err := other.AsSystem(engine.System()).Import(ctx, bytes.NewReader(out.Bytes()), nil); err != nil || report.Imported != 2 {
		t.Errorf("%+v, %v", report, err)
	}
	sound(t, b)
	sound(t, other)
}

// The system tenant is not compiled in the background.
func TestSystemTenantIsNotCompiled(t *testing.T) {
	b := openWith(t, "data", engine.Options{FS: disk.NewMem(), CompileAfter: engine.CompileAfter{Events: 1}})
	for i := range int64(5) {
		if _, err := b.AsSystem(engine.System()).AppendEvents(ctx, user, []*hmx.Event{event(t, engine.SystemTenant, string(rune('a'+i)), i, "always use tabs")}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}
