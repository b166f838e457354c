// Package transfer exports and imports tenants: exports, which keep every root and proof;
// imports, which admit only what the board itself would have written; and salvages of what is
// still readable in a damaged directory.
package transfer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"time"

	"lukasa.dev/internal/board"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/index/ledger"
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

// exportRecord is one record of an export. The header consists of these fields, encoded as in
// package record; so the leaf, and the root, can be computed from the file.
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
	Base64     string          `json:"payload_base64,omitempty"` // if the payload is more than one line
	Erased     bool            `json:"erased,omitempty"`
}

// Export writes all records of a tenant as lines of JSON: a head, and each record as it is in
// the journal, salts and erasures included. It exports one snapshot. If a record of that
// snapshot is erased while it runs, its content is gone, and the export ends with an error; a
// later export has the record that erased it.
func Export(ctx context.Context, b *board.Board, tenant string, dst io.Writer, tell func(done, total uint64)) (board.Root, error) {
	var root board.Root
	err := b.Read(ctx, tenant, func(s board.State) error {
		root = board.RootOf(s.Tenant)
		w := bufio.NewWriterSize(dst, 1<<16)
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(exportHead{exportFormat, tenant, s.Tenant.Size, hex.EncodeToString(root.Hash[:]), b.ID()}); err != nil {
			return outputFailed(err)
		}
		for position := range s.Tenant.Size {
			if err := ctx.Err(); err != nil {
				return err
			}
			line, err := exportAt(b, s, position)
			if err != nil {
				return err
			}
			if err := enc.Encode(line); err != nil {
				return outputFailed(err)
			}
			if tell != nil && position%1024 == 0 {
				tell(position, s.Tenant.Size)
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

func exportAt(b *board.Board, s board.State, position uint64) (*exportRecord, error) {
	f, err := b.FrameAt(s, position)
	if err != nil {
		return nil, err
	}
	h, err := record.ParseHeader(f.Header)
	if err != nil {
		return nil, err
	}
	if f.Erased {
		if _, known, err := ledger.Erased(s.Reader, s.Tenant.Number, position); err != nil {
			return nil, err
		} else if !known {
			return nil, fault.Newf(fault.Erased, "position %d of tenant %q was erased while the export ran", position, s.Tenant.Name).
				WithFix("export again; what is written so far is of no use")
		}
	}
	return exportLineOf(&h, f.Body, f.Erased), nil
}

// exportLineOf returns the line of a record. An erased one has no body.
func exportLineOf(h *record.Header, body []byte, erased bool) *exportRecord {
	line := &exportRecord{
		Position: h.Position, Kind: h.Kind, Trust: h.Trust, Time: board.TimeOf(h.Time).Format(time.RFC3339Nano), Actor: h.Actor,
		ID: hex.EncodeToString(h.ID[:]), Commitment: hex.EncodeToString(h.Commitment[:]), Erased: erased,
	}
	if erased {
		return line
	}
	line.Salt = hex.EncodeToString(body[:record.SaltSize])
	if payload := body[record.SaltSize:]; plain(payload) {
		line.Payload = payload
	} else {
		line.Base64 = base64.StdEncoding.EncodeToString(payload)
	}
	return line
}

// plain reports whether a payload can be a member of a line and keep its bytes: an encoder
// compacts raw values, and a line is read by the rules of package canon, within which a
// payload is nested one level deeper.
func plain(payload []byte) bool {
	var d canon.Doc
	nested := append(append([]byte{'['}, payload...), ']')
	return d.Parse(nested) == nil && bytes.Equal(d.AppendCompact(nil, d.Root()), nested) && d.Len(d.Root()) == 1
}
