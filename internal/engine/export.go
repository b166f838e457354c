package engine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"time"

	"lukasa.dev/internal/apply"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index"
	"lukasa.dev/internal/index/ledger"
	"lukasa.dev/internal/kv"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/record"
)

// exportFormat is the version of the export's lines.
const exportFormat = 1

// maxExportLine is the longest line that an import reads: the largest payload,
// written as base64, and the rest of its record.
const maxExportLine = 64 << 20

// exportHead is the first line of an export.
type exportHead struct {
	Export    int    `json:"lukasa_export"`
	Tenant    string `json:"tenant"`
	Size      uint64 `json:"size"`
	Root      string `json:"root"`
	Directory string `json:"directory"` // where it was exported from
}

// exportRecord is one record of an export. The header is these fields, encoded
// as package record does; so the leaf, and the root, can be made from the file.
type exportRecord struct {
	Position   uint64          `json:"position"`
	Kind       record.Kind     `json:"kind"`
	Trust      record.Trust    `json:"trust"`
	Time       string          `json:"time"` // RFC 3339 with nanoseconds
	Actor      string          `json:"actor"`
	ID         string          `json:"id"`
	Commitment string          `json:"commitment"`
	Salt       string          `json:"salt,omitempty"`
	Payload    json.RawMessage `json:"payload,omitempty"`
	Base64     string          `json:"payload_base64,omitempty"` // when the payload is more than one line
	Erased     bool            `json:"erased,omitempty"`
}

// Export writes everything a tenant has as lines of JSON: a head, and each
// record as it is in the journal, salts and erasures included.
func (b *Board) Export(ctx context.Context, tenant string, dst io.Writer, tell func(done, total uint64)) (Root, error) {
	var root Root
	err := b.read(ctx, tenant, func(r kv.Reader, t *ledger.Tenant) error {
		root = rootOf(t)
		w := bufio.NewWriterSize(dst, 1<<16)
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(exportHead{exportFormat, tenant, t.Size, hex.EncodeToString(root.Hash[:]), b.id}); err != nil {
			return outputFailed(err)
		}
		for position := range t.Size {
			if err := ctx.Err(); err != nil {
				return err
			}
			line, err := b.exportAt(r, t, position)
			if err != nil {
				return err
			}
			if err := enc.Encode(line); err != nil {
				return outputFailed(err)
			}
			if tell != nil && position%1024 == 0 {
				tell(position, t.Size)
			}
		}
		return outputFailed(w.Flush())
	})
	return root, err
}

func outputFailed(err error) error {
	if err == nil || fault.CodeOf(err) != fault.Internal {
		return err
	}
	return fault.Wrap(fault.OutputFailed, err)
}

func (b *Board) exportAt(r kv.Reader, t *ledger.Tenant, position uint64) (*exportRecord, error) {
	f, err := b.frameAt(r, t, position)
	if err != nil {
		return nil, err
	}
	h, err := record.ParseHeader(f.Header)
	if err != nil {
		return nil, err
	}
	line := &exportRecord{
		Position: position, Kind: h.Kind, Trust: h.Trust, Time: at(h.Time).Format(time.RFC3339Nano), Actor: h.Actor,
		ID: hex.EncodeToString(h.ID[:]), Commitment: hex.EncodeToString(h.Commitment[:]), Erased: f.Erased,
	}
	if f.Erased {
		return line, nil
	}
	line.Salt = hex.EncodeToString(f.Body[:record.SaltSize])
	// An encoder compacts what is raw; only what is compact already keeps its
	// bytes that way.
	payload := f.Body[record.SaltSize:]
	var compact bytes.Buffer
	if json.Compact(&compact, payload) == nil && bytes.Equal(compact.Bytes(), payload) {
		line.Payload = payload
	} else {
		line.Base64 = base64.StdEncoding.EncodeToString(payload)
	}
	return line, nil
}

// ImportReport says what became of an import.
type ImportReport struct {
	Root     Root
	Imported uint64
	Present  uint64 // records that were there already
}

// Import brings in what Export wrote: the same records at the same positions
// with the same proofs. The tenant must be new, or hold a beginning of the same
// records, as after an import that was cut short. Nothing is brought in before
// the whole export was seen to make the root that it names; so it is read twice,
// and if it cannot be, it is first put down in the data directory.
func (b *Board) Import(ctx context.Context, src io.Reader, tell func(done, total uint64)) (*ImportReport, error) {
	report := &ImportReport{}
	again, err := b.seekable(src)
	if err != nil {
		return report, err
	}
	defer again.done()
	head, err := checkExport(ctx, again.first)
	if err != nil {
		return report, err
	}
	second, err := again.second()
	if err != nil {
		return report, err
	}
	lines := bufio.NewReaderSize(second, 1<<16)
	if _, err := readLine(lines); err != nil {
		return report, badLine(1, "there is no head")
	}
	if err := b.importAll(ctx, lines, head, report, tell); err != nil {
		return report, err
	}
	if err := b.finishNow(ctx); err != nil {
		return report, err
	}
	report.Root, err = b.Root(ctx, head.Tenant)
	return report, err
}

// readHead reads the first line.
func readHead(lines *bufio.Reader) (head exportHead, want merkle.Hash, err error) {
	text, err := readLine(lines)
	if err != nil {
		return head, want, badLine(1, "there is no head")
	}
	if err := decodeStrict(text, &head); err != nil || head.Export == 0 {
		return head, want, badLine(1, "this is not the head of an export")
	}
	if head.Export > exportFormat {
		return head, want, fault.Newf(fault.NewerFormat, "the export has format %d; this program knows formats up to %d", head.Export, exportFormat)
	}
	if err := memory.CheckTenant(head.Tenant); err != nil {
		return head, want, err
	}
	if want, err = hash(head.Root); err != nil {
		return head, want, badLine(1, "root: "+err.Error())
	}
	return head, want, nil
}

// checkExport reads a whole export and computes its root.
func checkExport(ctx context.Context, src io.Reader) (exportHead, error) {
	lines := bufio.NewReaderSize(src, 1<<16)
	head, want, err := readHead(lines)
	if err != nil {
		return head, err
	}
	var tree merkle.Range
	for n := uint64(0); ; n++ {
		if err := ctx.Err(); err != nil {
			return head, err
		}
		text, err := readLine(lines)
		if err == io.EOF {
			if n != head.Size {
				return head, fault.Newf(fault.InvalidDocument, "the export ends after %d of %d records", n, head.Size).
					WithFix("import the whole file")
			}
			break
		}
		if err != nil {
			return head, err
		}
		e, err := importLine(text, head.Tenant)
		if err != nil {
			return head, badLine(int(n)+2, err.Error())
		}
		if e.header.Position != n {
			return head, badLine(int(n)+2, "position: records are not in order")
		}
		tree.Append(merkle.LeafHash(e.header.Append(nil)))
	}
	if got := tree.Root(); got != want {
		return head, fault.Newf(fault.NotProven, "the records make the root %x, but the export says %x", got, want)
	}
	return head, nil
}

// importAll reads the records and puts them in groups.
func (b *Board) importAll(ctx context.Context, lines *bufio.Reader, head exportHead, report *ImportReport, tell func(done, total uint64)) error {
	var held []*entry
	flush := func() error {
		if len(held) == 0 {
			return nil
		}
		err := b.importGroup(ctx, held, report)
		held = held[:0]
		return err
	}
	for n := uint64(0); ; n++ {
		text, err := readLine(lines)
		if err == io.EOF {
			if err := flush(); err != nil {
				return err
			}
			if n != head.Size {
				return fault.Newf(fault.InvalidDocument, "the export ends after %d of %d records", n, head.Size).
					WithFix("import the whole file; what is in already is kept")
			}
			return nil
		}
		if err != nil {
			return first(flush(), err)
		}
		e, err := importLine(text, head.Tenant)
		if err != nil {
			return first(flush(), badLine(int(n)+2, err.Error()))
		}
		if e.header.Position != n {
			return first(flush(), badLine(int(n)+2, "position: records are not in order"))
		}
		alone := apply.Alone(e.header.Kind)
		if alone || len(held) >= ingestBatch {
			if err := flush(); err != nil {
				return err
			}
		}
		held = append(held, e)
		if alone {
			if err := flush(); err != nil {
				return err
			}
		}
		if tell != nil && n%1024 == 0 {
			tell(n, head.Size)
		}
	}
}

// importGroup puts records as they are.
func (b *Board) importGroup(ctx context.Context, entries []*entry, report *ImportReport) error {
	imported, present := uint64(0), uint64(0)
	err := b.submit(ctx, &request{alone: true, admit: func(g *group) error {
		for _, e := range entries {
			t, err := g.tenant(e.header.Tenant)
			if err != nil {
				return err
			}
			switch p := e.header.Position; {
			case p > t.Size:
				return g.stop(fault.Newf(fault.IDConflict, "tenant %q has %d records, so position %d cannot follow", t.Name, t.Size, p))
			case p < t.Size:
				if err := g.same(t, e); err != nil {
					return err
				}
				present++
				continue
			}
			if err := g.putVerbatim(e); err != nil {
				return err
			}
			imported++
		}
		return nil
	}})
	if err == nil {
		report.Imported += imported
		report.Present += present
	}
	return err
}

// same refuses a record that is not the one that is there.
func (g *group) same(t *ledger.Tenant, e *entry) error {
	at, ok, err := ledger.At(g.tx, t.Number, e.header.Position)
	if err != nil {
		return g.stop(err)
	}
	if !ok || at.Leaf != merkle.LeafHash(e.header.Append(nil)) {
		return fault.Newf(fault.IDConflict, "tenant %q has another record at position %d than the export", t.Name, e.header.Position).
			WithFix("import into a directory where this tenant has no records of its own")
	}
	return nil
}

// importLine makes a record out of a line.
func importLine(text []byte, tenant string) (*entry, error) {
	var line exportRecord
	if err := decodeStrict(text, &line); err != nil {
		return nil, err
	}
	when, err := time.Parse(time.RFC3339Nano, line.Time)
	if err != nil {
		return nil, err
	}
	if at(when.UnixNano()).Format(time.RFC3339Nano) != line.Time {
		return nil, fault.New(fault.InvalidDocument, "time: it is not as an export writes it")
	}
	h := record.Header{Kind: line.Kind, Trust: line.Trust, Time: when.UnixNano(), Position: line.Position, Tenant: tenant, Actor: line.Actor}
	if h.ID, err = hash(line.ID); err != nil {
		return nil, err
	}
	if h.Commitment, err = hash(line.Commitment); err != nil {
		return nil, err
	}
	if _, err := record.ParseHeader(h.Append(nil)); err != nil {
		return nil, err
	}
	e := &entry{header: h, rec: index.Record{Header: h}}
	if line.Erased {
		return e, nil
	}
	if e.body, err = hex.DecodeString(line.Salt); err != nil || len(e.body) != record.SaltSize {
		return nil, fault.New(fault.InvalidDocument, "salt: it must be 32 hexadecimal digits")
	}
	payload := []byte(line.Payload)
	if line.Base64 != "" {
		if payload, err = base64.StdEncoding.DecodeString(line.Base64); err != nil {
			return nil, err
		}
	}
	e.body = append(e.body, payload...)
	if record.Commit(e.body) != h.Commitment {
		return nil, fault.New(fault.InvalidDocument, "commitment: it is not that of this salt and payload")
	}
	e.rec.Payload = e.body[record.SaltSize:]
	return e, apply.DecodePayload(&e.rec)
}

// readLine returns the next line without its end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxExportLine {
			return nil, fault.Newf(fault.TooLarge, "a line of the export is longer than %d MiB", maxExportLine>>20)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(line) == 0:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, fault.Wrap(fault.UnreadableInput, err)
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}

func badLine(n int, what string) error {
	return fault.Newf(fault.InvalidDocument, "line %d of the export: %s", n, what).
		WithFix("use the file as `lukasa export` wrote it")
}

func decodeStrict(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fault.New(fault.InvalidDocument, "there is something behind its end")
	}
	return nil
}

func hash(s string) (record.Hash, error) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != record.HashSize {
		return record.Hash{}, fault.New(fault.InvalidDocument, "a hash must be 64 hexadecimal digits")
	}
	return record.Hash(b), nil
}
