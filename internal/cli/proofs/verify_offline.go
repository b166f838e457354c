package proofs

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lukasa.dev"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/notary"
	"lukasa.dev/internal/record"
)

// verifyOffline checks a document of a third party, without a data directory.
func verifyOffline(s *ask.Shell, c *cobra.Command, what string, flags *verifyFlags) error {
	ctx := c.Context()
	if flags.deep || c.Flags().Changed("data") {
		return fault.Newf(fault.Usage, "--%s reads no data directory", what).WithFix("leave --deep and --data out")
	}
	if err := onlyOneStdin(flags); err != nil {
		return err
	}
	key, err := verifierKey(ctx, s, flags.key)
	if err != nil {
		return err
	}
	var about lukasa.URI
	if flags.about != "" {
		if about, err = lukasa.ParseURI(flags.about); err != nil {
			return err
		}
	}
	switch what {
	case "proof":
		return verifyProof(ctx, s, flags, key, about)
	case "receipt":
		return verifyReceipts(ctx, s, flags, key, about)
	}
	return verifyConsistency(ctx, s, flags, key)
}

// onlyOneStdin refuses to read two documents from one stream.
func onlyOneStdin(f *verifyFlags) error {
	n := 0
	for _, name := range []string{f.proof, f.receipt, f.consistency, f.key, f.checkpoint, f.fromCheckpoint} {
		if name == "-" {
			n++
		}
	}
	if n > 1 {
		return fault.New(fault.Usage, "only one of the files can be standard input").WithFix("put the others into files")
	}
	return nil
}

// mistaken returns an error for a document of another sort than that of the flag, and
// otherwise err.
func mistaken(flag string, text []byte, err error) error {
	is, name := "", ""
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(text, &fields) // a receipt is no JSON
	switch {
	case fields["from"] != nil && fields["to"] != nil:
		is, name = "consistency", "a consistency proof"
	case fields["position"] != nil || fields["header"] != nil:
		is, name = "proof", "a proof of a record"
	case fields == nil && bytes.Contains(text, []byte("\nerasure\n")):
		is, name = "receipt", "an erasure receipt"
	}
	if is == "" || is == flag {
		return err
	}
	return fault.Newf(fault.Usage, "--%s: this is %s", flag, name).WithCause(err).WithFix("use --" + is)
}

// keyChanged adds the usual cause to the error of an invalid signature.
func keyChanged(err error) error {
	if !errors.Is(err, fault.NotProven) || !strings.Contains(err.Error(), "sign") {
		return err
	}
	e := fault.From(err)
	return e.WithFix(strings.TrimRight(e.Advice(), ".") + "; a directory's key changes with `lukasa root --new-key`, and what was signed before is checked with the key of then")
}

// noteFile reads a signed note, if one was given.
func noteFile(ctx context.Context, s *ask.Shell, path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	return s.ReadFile(ctx, path, merkle.MaxNote)
}

// provenAnswer is what lukasa verify --proof --json prints.
type provenAnswer struct {
	Proven   bool            `json:"proven"`
	Tenant   string          `json:"tenant"`
	Position uint64          `json:"position"`
	Kind     lukasa.Kind     `json:"kind"`
	Trust    lukasa.Trust    `json:"trust"`
	Time     string          `json:"time"`
	Actor    string          `json:"actor"`
	URI      string          `json:"uri,omitempty"` // of the record or event, if the proof has its content
	Origin   string          `json:"origin"`
	Size     uint64          `json:"size"`
	Root     string          `json:"root"`
	Payload  json.RawMessage `json:"payload,omitempty"` // of the record, if the proof has it
}

func verifyProof(ctx context.Context, s *ask.Shell, flags *verifyFlags, key string, about lukasa.URI) error {
	text, err := s.ReadFile(ctx, flags.proof, notary.MaxProof)
	if err != nil {
		return err
	}
	proof, err := notary.ParseProof(text)
	if err != nil {
		return mistaken("proof", text, err)
	}
	checkpoint, err := noteFile(ctx, s, flags.checkpoint)
	if err != nil {
		return err
	}
	verdict, err := notary.VerifyProof(&proof, checkpoint, key)
	if err != nil {
		return keyChanged(err)
	}
	h := verdict.Header
	a := provenAnswer{
		Proven: true, Tenant: h.Tenant, Position: h.Position, Kind: h.Kind, Trust: h.Trust,
		Time: answer.Instant(time.Unix(0, h.Time)), Actor: h.Actor,
		Origin: verdict.Checkpoint.Origin, Size: verdict.Checkpoint.Size, Root: hex.EncodeToString(verdict.Checkpoint.Root[:]),
	}
	var body lukasa.Body
	if verdict.Payload {
		var id string
		if id, body = identity(h.Kind, proof.Payload); id != "" {
			a.URI = lukasa.URI{Tenant: h.Tenant, Kind: h.Kind, ID: id}.String()
		}
		if json.Valid(proof.Payload) {
			a.Payload = proof.Payload
		}
	}
	if !about.IsZero() {
		if err := provenAbout(about, a.URI, &h); err != nil {
			return err
		}
	}
	if s.JSON {
		return s.WriteJSON(a)
	}
	showProven(s, a, body)
	return nil
}

// provenAbout checks that a record is a version of what a URI names. Without the
// content, the digest of the id of an event suffices; that of a versioned record
// needs the number of the version.
func provenAbout(about lukasa.URI, found string, h *record.Header) error {
	id := about.ID
	if about.Kind != lukasa.EventKind && about.Version != 0 {
		id = fmt.Sprintf("%s#%d", about.ID, about.Version)
	}
	switch {
	case about.Tenant == h.Tenant && record.ID(about.Tenant, about.Kind, id) == h.ID:
		return nil
	case found == about.String(): // named without a version, and the content says it
		return nil
	case found == "" && about.Version == 0 && about.Kind != lukasa.EventKind:
		return fault.Newf(fault.NotProven, "about: the content is not in the proof, so it cannot be checked that it is of %s", about).
			WithFix("name a version, such as " + about.String() + "#1")
	}
	return fault.Newf(fault.NotProven, "about: the record is not one of %s", about)
}

// identity returns the id in a payload, and the body of a versioned record.
func identity(kind record.Kind, payload []byte) (string, lukasa.Body) {
	if kind == record.Event {
		var ev struct {
			EventID string `json:"event_id"`
		}
		_ = json.Unmarshal(payload, &ev) // then it has none
		return ev.EventID, nil
	}
	if memory.NewBody(kind) == nil {
		return "", nil
	}
	body, err := memory.Decode(kind, payload)
	if err != nil {
		return "", nil
	}
	id, _ := body.Identity()
	return id, body
}

func showProven(s *ask.Shell, a provenAnswer, body lukasa.Body) {
	switch m, ok := body.(*lukasa.Memory); {
	case ok:
		fmt.Fprintf(s.Stdout, "%s\n\n", strings.TrimRight(term.Visible(m.Render(memory.FormFull)), "\n"))
	case a.Payload != nil:
		fmt.Fprintf(s.Stdout, "%s\n\n", term.Indented(a.Payload))
	}
	which := "a record of kind"
	if a.Payload != nil {
		which = "this"
	}
	fmt.Fprintf(s.Stdout, "%s: position %d of tenant %s is %s %s\n", s.Paint.Green("proven"), a.Position, s.Paint.Bold(term.OneLine(a.Tenant)), which, a.Kind)
	s.Detail("uri", a.URI)
	if m, ok := body.(*lukasa.Memory); ok {
		s.Detail("key", m.Key)
	}
	s.Detail("written", a.Time+" by "+a.Actor+" with trust "+a.Trust.String())
	s.Detail("root", a.Root+" over "+term.Counted(int(a.Size), "record"))
	s.Detail("signed by", a.Origin)
	if a.Payload == nil {
		s.Detail("content", "not in the proof: it was erased or is withheld")
	}
}

// receiptAnswer is a receipt, as lukasa verify --receipt --json prints it.
type receiptAnswer struct {
	Tenant    string         `json:"tenant"`
	Origin    string         `json:"origin"`
	Time      string         `json:"time"`
	Redaction uint64         `json:"redaction"`
	Size      uint64         `json:"size"`
	Root      string         `json:"root"`
	Erased    []erasedAnswer `json:"erased"`
}

type erasedAnswer struct {
	Kind      lukasa.Kind `json:"kind"`
	ID        string      `json:"id"` // digest of the id
	Positions []uint64    `json:"positions"`
}

func verifyReceipts(ctx context.Context, s *ask.Shell, flags *verifyFlags, key string, about lukasa.URI) error {
	if flags.checkpoint != "" || flags.fromCheckpoint != "" {
		return fault.New(fault.Usage, "a receipt is signed itself and needs no checkpoint").WithFix("leave --checkpoint and --from-checkpoint out")
	}
	text, err := s.ReadFile(ctx, flags.receipt, notary.MaxReceipt)
	if err != nil {
		return err
	}
	var list []receiptAnswer
	found := about.IsZero()
	for _, note := range splitNotes(text) {
		r, err := notary.VerifyReceipt(note, key)
		if err != nil {
			return keyChanged(mistaken("receipt", text, err))
		}
		a := receiptAnswer{Tenant: r.Tenant(), Origin: r.Origin, Time: answer.Instant(r.Time), Redaction: r.Redaction, Size: r.Size, Root: hex.EncodeToString(r.Root[:])}
		for _, e := range r.Erased {
			a.Erased = append(a.Erased, erasedAnswer{e.Kind, hex.EncodeToString(e.ID[:]), e.Positions})
			found = found || about.Tenant == a.Tenant && e.Kind == about.Kind && e.ID == record.ID(about.Tenant, about.Kind, about.ID)
		}
		list = append(list, a)
	}
	if !found {
		return fault.Newf(fault.NotProven, "about: the receipt does not say that %s was erased", about.Head())
	}
	if s.JSON {
		return s.WriteJSON(struct {
			Proven   bool            `json:"proven"`
			Receipts []receiptAnswer `json:"receipts"`
		}{true, list})
	}
	for _, a := range list {
		fmt.Fprintf(s.Stdout, "%s: the key vouches for this erasure in tenant %s\n", s.Paint.Green("proven"), s.Paint.Bold(term.OneLine(a.Tenant)))
		for _, e := range a.Erased {
			s.Detail(e.Kind.String(), fmt.Sprintf("%s at %s", e.ID, strings.Trim(strings.ReplaceAll(fmt.Sprint(e.Positions), " ", ", "), "[]")))
		}
		s.Detail("time", a.Time)
		s.Detail("redaction", fmt.Sprintf("position %d", a.Redaction))
		s.Detail("root", a.Root+" over "+term.Counted(int(a.Size), "record"))
		s.Detail("signed by", a.Origin)
	}
	return nil
}

// splitNotes splits a sequence of signed notes. A note ends with its lines of signatures.
// Text that is not a note is returned as one, and the check refuses it.
func splitNotes(text []byte) [][]byte {
	var notes [][]byte
	var note []byte
	signed := false
	for line := range bytes.Lines(text) {
		signature := bytes.HasPrefix(line, []byte("— "))
		if signed && !signature {
			notes, note, signed = append(notes, note), nil, false
		}
		if len(note) == 0 && len(bytes.TrimSpace(line)) == 0 {
			continue // between two
		}
		note = append(note, line...)
		signed = signature
	}
	if len(note) > 0 || notes == nil {
		notes = append(notes, note)
	}
	return notes
}

func verifyConsistency(ctx context.Context, s *ask.Shell, flags *verifyFlags, key string) error {
	if flags.about != "" {
		return fault.New(fault.Usage, "a consistency proof covers a whole log, not one record").WithFix("leave --about out")
	}
	if flags.checkpoint == "" {
		return fault.New(fault.Usage, "a consistency proof is checked against a signed checkpoint of the later state, and none was given").
			WithFix("add --checkpoint FILE, with what `lukasa root --checkpoint` printed")
	}
	text, err := s.ReadFile(ctx, flags.consistency, notary.MaxProof)
	if err != nil {
		return err
	}
	proof, err := notary.ParseConsistencyProof(text)
	if err != nil {
		return mistaken("consistency", text, err)
	}
	to, err := noteFile(ctx, s, flags.checkpoint)
	if err != nil {
		return err
	}
	from, err := noteFile(ctx, s, flags.fromCheckpoint)
	if err != nil {
		return err
	}
	verdict, err := notary.VerifyConsistency(&proof, from, to, key)
	if err != nil {
		return keyChanged(err)
	}
	a := struct {
		Proven     bool   `json:"proven"`
		Tenant     string `json:"tenant"`
		Origin     string `json:"origin"`
		From       uint64 `json:"from"`
		FromRoot   string `json:"from_root"`
		FromSigned bool   `json:"from_signed"` // the earlier root was signed too
		To         uint64 `json:"to"`
		ToRoot     string `json:"to_root"`
	}{
		true, proof.Tenant, verdict.To.Origin,
		verdict.From.Size, hex.EncodeToString(verdict.From.Root[:]), verdict.From.Origin != "",
		verdict.To.Size, hex.EncodeToString(verdict.To.Root[:]),
	}
	if s.JSON {
		return s.WriteJSON(a)
	}
	fmt.Fprintf(s.Stdout, "%s: the log of tenant %s only grew from size %d to size %d\n", s.Paint.Green("proven"), s.Paint.Bold(term.OneLine(a.Tenant)), a.From, a.To)
	word := ", as the proof names it: compare it with what you know"
	if a.FromSigned {
		word = ", signed"
	}
	s.Detail("from", a.FromRoot+word)
	s.Detail("to", a.ToRoot+", signed")
	s.Detail("signed by", a.Origin)
	return nil
}
