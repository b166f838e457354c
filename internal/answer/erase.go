package answer

import "lukasa.dev"

// Redaction is a target of an erasure.
type Redaction struct {
	URI     lukasa.URI `json:"uri"`
	Already bool       `json:"already_erased"`
}

// Redacted is the result of an erasure.
type Redacted struct {
	Erased    int         `json:"erased"` // payloads
	Already   int         `json:"already_erased"`
	Redaction *uint64     `json:"redaction,omitempty"` // position of its record
	Targets   []Redaction `json:"targets"`
	Receipts  []string    `json:"receipts"`
	Purged    bool        `json:"purged"`
	Size      uint64      `json:"size"`
	Root      string      `json:"root"`
}

// RedactedOf converts an erasure. The caller adds whether the index was rewritten, and the
// state afterwards.
func RedactedOf(targets []Redaction, done *lukasa.Erasure) *Redacted {
	a := &Redacted{Erased: done.Erased, Already: done.Already, Targets: targets, Receipts: []string{}}
	if done.Written {
		a.Redaction = &done.Redaction
	}
	for _, note := range done.Receipts {
		a.Receipts = append(a.Receipts, string(note))
	}
	return a
}
