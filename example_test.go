package lukasa_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"lukasa.dev"
)

// Open a directory, remember something, and recall it.
func Example() {
	dir, board := temporary()
	defer os.RemoveAll(dir)
	defer board.Close()
	ctx := context.Background()

	acme := board.Tenant("acme", lukasa.Writer{Actor: "release-bot", Trust: lukasa.Agent})
	if _, err := acme.Remember(ctx, &lukasa.Memory{
		Type: "fact", Key: "release/cadence", Text: "Releases are cut every second Tuesday.", Tags: []string{"release"},
	}); failed(err) {
		return
	}
	thing, err := acme.Recall(ctx, "release/cadence")
	if failed(err) {
		return
	}
	fmt.Println(thing.Body.(*lukasa.Memory).Text)
	fmt.Println("version", thing.Version, "by", thing.Actor, "with trust", thing.Trust)
	// Output:
	// Releases are cut every second Tuesday.
	// version 1 by release-bot with trust agent
}

// Every change of a record is a version.
func ExampleTenant_History() {
	dir, board := temporary()
	defer os.RemoveAll(dir)
	defer board.Close()
	ctx := context.Background()

	acme := board.Tenant("acme", lukasa.Writer{Actor: "dana", Trust: lukasa.User})
	cadence := lukasa.Ref{Key: "release/cadence"}
	_, err1 := acme.Remember(ctx, &lukasa.Memory{Type: "fact", Key: "release/cadence", Text: "Every second Tuesday."})
	_, err2 := acme.Remember(ctx, &lukasa.Memory{Type: "fact", Key: "release/cadence", Text: "Every Tuesday."})
	_, err3 := acme.Forget(ctx, cadence, "we ship daily now", lukasa.AnyVersion())
	_, err4 := acme.Restore(ctx, lukasa.Ref{Key: "release/cadence", Version: 1}, lukasa.Version(3))
	_, changes, err5 := acme.History(ctx, cadence, lukasa.View{})
	if failed(err1, err2, err3, err4, err5) {
		return
	}
	for _, c := range changes {
		if m, ok := c.Body.(*lukasa.Memory); ok {
			fmt.Println(c.Version, c.Op, m.Text)
		} else {
			fmt.Println(c.Version, c.Op, c.Note)
		}
	}
	// Output:
	// 1 put Every second Tuesday.
	// 2 put Every Tuesday.
	// 3 tombstone we ship daily now
	// 4 put Every second Tuesday.
}

// A write that expects a version is refused if another write came first.
func ExampleTenant_Put() {
	dir, board := temporary()
	defer os.RemoveAll(dir)
	defer board.Close()
	ctx := context.Background()

	acme := board.Tenant("acme", lukasa.Writer{Actor: "dana", Trust: lukasa.User})
	first := &lukasa.Memory{Type: "goal", Key: "importer", Text: "Ship the importer."}
	if _, err := acme.Put(ctx, first, lukasa.Version(0)); failed(err) { // 0: there must be none yet
		return
	}
	second := &lukasa.Memory{Type: "goal", Key: "importer", Text: "Drop the importer."}
	_, err := acme.Put(ctx, second, lukasa.Version(0))
	fmt.Println(lukasa.CodeOf(err))

	// A writer with less trust cannot change what a higher tier wrote.
	bot := board.Tenant("acme", lukasa.Writer{Actor: "bot", Trust: lukasa.Agent})
	_, err = bot.Remember(ctx, second)
	fmt.Println(lukasa.CodeOf(err))
	// Output:
	// version_conflict
	// untrusted
}

// Ingest a stream of events. A bad line does not affect good ones, and sending the stream again
// is harmless.
func ExampleBoard_Ingest() {
	dir, board := temporary()
	defer os.RemoveAll(dir)
	defer board.Close()
	ctx := context.Background()

	stream := event("e-1", 0, `{"role":"user","text":"Refunds above 100 EUR are rounded wrongly."}`) +
		"{\"not\":\"an event\"}\n" +
		event("e-2", 1, `{"role":"assistant","text":"Fixed: half a cent is rounded half to even."}`)
	for range 2 {
		report, err := board.Ingest(ctx, strings.NewReader(stream), lukasa.IngestOptions{
			Writer: lukasa.Writer{Trust: lukasa.User},
			Reject: func(r lukasa.Rejection) { fmt.Println("line", r.Line, lukasa.CodeOf(r.Fault)) },
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(report.Accepted, "accepted,", report.Duplicates, "there already,", report.Rejected, "rejected")
	}
	page, err := board.Tenant("acme", lukasa.Writer{}).Events(ctx, lukasa.EventQuery{Session: "s-1"})
	if failed(err) {
		return
	}
	for _, ev := range page.Events {
		fmt.Println(ev.Position, ev.Event.EventID, ev.Trust)
	}
	// Output:
	// line 2 invalid_document
	// 2 accepted, 0 there already, 1 rejected
	// line 2 invalid_document
	// 0 accepted, 2 there already, 1 rejected
	// 0 e-1 user
	// 1 e-2 agent
}

// Redacted content is gone and stays gone; earlier proofs remain valid.
func ExampleTenant_Redact() {
	dir, board := temporary()
	defer os.RemoveAll(dir)
	defer board.Close()
	ctx := context.Background()

	acme := board.Tenant("acme", lukasa.Writer{Actor: "dana", Trust: lukasa.User})
	phone := func() *lukasa.Memory {
		return &lukasa.Memory{Type: "fact", Key: "dana/phone", Text: "Dana's number is +49 30 901820."}
	}
	put, err1 := acme.Remember(ctx, phone())
	before, err2 := acme.Root(ctx)
	if failed(err1, err2) {
		return
	}
	erasure, err := acme.Redact(ctx, acme.URI(lukasa.MemoryKind, put.URI.ID))
	if failed(err) {
		return
	}
	fmt.Println(erasure.Erased, "payload erased,", len(erasure.Receipts), "receipt")

	_, err = acme.Remember(ctx, phone())
	fmt.Println("again:", lukasa.CodeOf(err))

	proof, err := acme.Prove(ctx, lukasa.ProveOptions{Position: put.Position, Size: before.Size})
	if failed(err) {
		return
	}
	fmt.Println("content in the proof:", proof.Payload != nil)
	fmt.Println("root as before:", proof.Root == before.Hash)
	// Output:
	// 1 payload erased, 1 receipt
	// again: erased
	// content in the proof: false
	// root as before: true
}

// A proof carries the record and a signed checkpoint. A third party can check it with `lukasa
// verify --proof FILE --key KEY` and the key alone.
func ExampleTenant_Prove() {
	dir, board := temporary()
	defer os.RemoveAll(dir)
	defer board.Close()
	ctx := context.Background()

	acme := board.Tenant("acme", lukasa.Writer{Actor: "dana", Trust: lukasa.User})
	put, err := acme.Remember(ctx, &lukasa.Memory{Type: "constraint", Key: "deploy/friday", Text: "Never deploy on a Friday."})
	if failed(err) {
		return
	}
	proof, err := acme.Prove(ctx, lukasa.ProveOptions{Position: put.Position})
	if failed(err) {
		return
	}
	fmt.Println("position", proof.Position, "of", proof.Size)
	fmt.Println("the record is in it:", bytes.Contains(proof.Payload, []byte("Never deploy on a Friday.")))
	fmt.Println("signed:", strings.Contains(proof.Checkpoint, "lukasa.dev/"+board.ID()+"/acme"))
	// Output:
	// position 0 of 1
	// the record is in it: true
	// signed: true
}

// An export, imported elsewhere, has the same root.
func ExampleTenant_Export() {
	dir, board := temporary()
	defer os.RemoveAll(dir)
	defer board.Close()
	elsewhere, other := temporary()
	defer os.RemoveAll(elsewhere)
	defer other.Close()
	ctx := context.Background()

	acme := board.Tenant("acme", lukasa.Writer{Actor: "dana", Trust: lukasa.User})
	_, err1 := acme.Remember(ctx, &lukasa.Memory{Type: "fact", Key: "release/cadence", Text: "Every second Tuesday."})
	var file bytes.Buffer
	root, err2 := acme.Export(ctx, &file, nil)
	report, err3 := other.Import(ctx, &file, nil)
	if failed(err1, err2, err3) {
		return
	}
	fmt.Println(report.Imported, "imported, same root:", report.Root.Hash == root.Hash)
	// Output:
	// 1 imported, same root: true
}

// temporary opens a board in a temporary directory.
func temporary() (string, *lukasa.Board) {
	dir, err := os.MkdirTemp("", "lukasa-example-")
	if err != nil {
		panic(err)
	}
	board, err := lukasa.Open(dir, lukasa.Options{})
	if err != nil {
		panic(err)
	}
	return dir, board
}

// failed prints the first error and reports whether there was one.
func failed(errs ...error) bool {
	for _, err := range errs {
		if err != nil {
			fmt.Println(err)
			return true
		}
	}
	return false
}

// event is a line of a stream.
func event(id string, sequence int, content string) string {
	return fmt.Sprintf(`{"hmx_version":"HMX-1.0","event_id":%q,"event_type":"message","agent_id":"coder","tenant_id":"acme","session_id":"s-1",`+
		`"timestamp":"2026-11-02T09:00:00Z","sequence":%d,"content":%s,"metadata":{}}`+"\n", id, sequence, content)
}
