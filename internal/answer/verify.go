package answer

import (
	"slices"

	"lukasa.dev"
)

// Verified is the result of verifying a data directory.
type Verified struct {
	OK       bool      `json:"ok"`
	Deep     bool      `json:"deep"`
	Tenants  int       `json:"tenants"`
	Records  uint64    `json:"records"`
	Erased   *uint64   `json:"erased,omitempty"` // counted by a deep check
	Bytes    int64     `json:"bytes"`
	Findings []Finding `json:"findings"`
}

// Finding is one fault.
type Finding struct {
	Where  string `json:"where"`
	Detail string `json:"detail"`
}

// VerifiedOf converts a verification report.
func VerifiedOf(r *lukasa.VerifyReport) *Verified {
	a := &Verified{OK: r.OK(), Deep: r.Deep, Tenants: r.Tenants, Records: r.Records, Bytes: r.Bytes, Findings: []Finding{}}
	for _, f := range r.Findings {
		// The opening and the deep check may report the same damage.
		if found := (Finding{f.Where, f.Detail}); !slices.Contains(a.Findings, found) {
			a.Findings = append(a.Findings, found)
		}
	}
	if r.Deep {
		a.Erased = &r.Erased
	}
	return a
}
