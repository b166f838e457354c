package answer

import (
	"encoding/hex"
	"time"

	"lukasa.dev"
)

// Instant writes a time, and nothing for none.
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

// StateOf answers a root.
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

// Key is the key that checks what a tenant's board signs.
type Key struct {
	Tenant string `json:"tenant"`
	Key    string `json:"key"`
	New    bool   `json:"new"`
}

// Write says where a write went.
type Write struct {
	URI       lukasa.URI   `json:"uri"`
	Version   uint64       `json:"version"`
	Position  uint64       `json:"position"`
	Trust     lukasa.Trust `json:"trust"`
	Unchanged bool         `json:"unchanged"`
	Size      uint64       `json:"size"`
	Root      string       `json:"root"`
	Scrubbed  int          `json:"scrubbed,omitempty"` // secrets that were taken out of it
}

// WriteOf answers a write, with the state of the tenant afterwards.
func WriteOf(put *lukasa.PutResult, after lukasa.Root) Write {
	return Write{put.URI, put.URI.Version, put.Position, put.Trust, put.Unchanged, after.Size, StateOf(after).Root, put.Scrubbed}
}

// Expired says how much ended.
type Expired struct {
	Things int `json:"things"`
	Events int `json:"events"`
	State
}

// Imported says what became of an import.
type Imported struct {
	Imported uint64 `json:"imported"`
	Present  uint64 `json:"present"` // there already
	State
}

// NextPage is what a page says of the next one: null at the end.
func NextPage(next string) *string {
	if next == "" {
		return nil
	}
	return &next
}
