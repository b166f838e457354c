package answer

import (
	"encoding/hex"
	"time"

	"lukasa.dev"
)

// Instant formats a time, and the zero time as nothing.
func Instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// State names the state of a tenant.
type State struct {
	Tenant string `json:"tenant"`
	Size   uint64 `json:"size"`
	Root   string `json:"root"`
	Time   string `json:"time,omitempty"` // of the newest record
}

// StateOf converts a root.
func StateOf(r lukasa.Root) State {
	return State{r.Tenant, r.Size, hex.EncodeToString(r.Hash[:]), Instant(r.Time)}
}

// Tenants are the states of all tenants.
type Tenants struct {
	Tenants []State `json:"tenants"`
	Next    *string `json:"next"`
}

// Checkpoint is a signed state.
type Checkpoint struct {
	Tenant     string `json:"tenant"`
	Checkpoint string `json:"checkpoint"`
}

// Key is the key that verifies the signatures of a board.
type Key struct {
	Tenant string `json:"tenant"`
	Key    string `json:"key"`
	New    bool   `json:"new"`
}

// Write is the result of a write.
type Write struct {
	URI       lukasa.URI   `json:"uri"`
	Version   uint64       `json:"version"`
	Position  uint64       `json:"position"`
	Trust     lukasa.Trust `json:"trust"`
	Unchanged bool         `json:"unchanged"`
	Size      uint64       `json:"size"`
	Root      string       `json:"root"`
	Scrubbed  int          `json:"scrubbed,omitempty"` // secrets removed from it
}

// WriteOf converts a write, with the state of the tenant afterwards.
func WriteOf(put *lukasa.PutResult, after lukasa.Root) Write {
	return Write{put.URI, put.URI.Version, put.Position, put.Trust, put.Unchanged, after.Size, StateOf(after).Root, put.Scrubbed}
}

// Expired is how many records were expired.
type Expired struct {
	Things int `json:"things"`
	Events int `json:"events"`
	State
}

// Imported is the result of an import.
type Imported struct {
	Imported uint64 `json:"imported"`
	Present  uint64 `json:"present"` // already there
	State
	Salvage *ImportedSalvage `json:"salvage,omitempty"` // of an import from a damaged directory
}

// ImportedSalvage is what is missing in an import from a damaged directory.
type ImportedSalvage struct {
	Lost    uint64    `json:"lost"`     // could not be read there
	LeftOut uint64    `json:"left_out"` // are meaningless without those
	Rewrote uint64    `json:"rewrote"`  // name others, and had to be rewritten
	Reasons []LeftOut `json:"reasons"`  // why the first were left out
}

// LeftOut is a record that was not imported.
type LeftOut struct {
	Position uint64 `json:"position"` // its former position
	Kind     string `json:"kind"`
	Why      string `json:"why"`
}

// ImportedOf converts an import.
func ImportedOf(r *lukasa.ImportReport) Imported {
	a := Imported{Imported: r.Imported, Present: r.Present, State: StateOf(r.Root)}
	if x := r.Salvage; x != nil {
		a.Salvage = &ImportedSalvage{Lost: x.Lost, LeftOut: x.LeftOut, Rewrote: x.Rewrote, Reasons: []LeftOut{}}
		for _, l := range x.Reasons {
			a.Salvage.Reasons = append(a.Salvage.Reasons, LeftOut{l.Position, l.Kind.String(), l.Why})
		}
	}
	return a
}

// Salvaged is what could be read of a damaged directory, and what could not.
type Salvaged struct {
	Out         string `json:"out"`
	Tenant      string `json:"tenant"`
	Complete    bool   `json:"complete"` // nothing is known to be missing
	Records     uint64 `json:"records"`
	LostRecords uint64 `json:"lost_records"`
	Lost        []Lost `json:"lost"`             // the first thousand ranges
	Behind      string `json:"behind,omitempty"` // why there may have been more
}

// Lost is a range of positions that cannot be read.
type Lost struct {
	From    uint64 `json:"from"`
	To      uint64 `json:"to"`
	Segment string `json:"segment,omitempty"`
	Offset  int64  `json:"offset"`
	Why     string `json:"why"`
}

// SalvagedOf converts a salvage.
func SalvagedOf(out string, r *lukasa.Salvaged) Salvaged {
	a := Salvaged{Out: out, Tenant: r.Tenant, Complete: r.Whole(), Records: r.Records, LostRecords: r.LostRecords, Lost: []Lost{}, Behind: r.Behind}
	for _, l := range r.Lost {
		a.Lost = append(a.Lost, Lost(l))
	}
	return a
}

// NextPage is the cursor of the next page: null at the end.
func NextPage(next string) *string {
	if next == "" {
		return nil
	}
	return &next
}
