package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/fingerprint"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Portable digests of what an agent learned. docs/fingerprints.md shows their use,
// docs/formats/fingerprint.md their format.
type (
	// Fingerprint is a digest of what an agent learned (HMX-F): less than 100,000 bytes,
	// without any text of events.
	Fingerprint = fingerprint.Fingerprint
	// FingerprintOptions configures a fingerprint. The zero value works.
	FingerprintOptions = engine.FingerprintOptions
	// FingerprintBody is an imported fingerprint.
	FingerprintBody = memory.Fingerprint
	// Visibility says who may see a record.
	Visibility = memory.Visibility
)

// The visibilities.
const (
	VisiblePrivate = memory.VisiblePrivate
	VisibleTenant  = memory.VisibleTenant
)

// FingerprintKind is the kind of imported fingerprints.
const FingerprintKind = record.Fingerprint

// MaxFingerprintRead is the maximum size of a fingerprint to decode, in bytes.
const MaxFingerprintRead = fingerprint.MaxRead

// DecodeFingerprint strictly decodes a fingerprint and applies every rule except that its hash
// is right: its Verify checks that, so that a modified one can be inspected.
func DecodeFingerprint(data []byte) (*Fingerprint, error) { return fingerprint.Decode(data) }

// MergeFingerprints returns the union of fingerprints. Their order and duplicates make no
// difference.
func MergeFingerprints(list ...*Fingerprint) (*Fingerprint, error) {
	return fingerprint.MergeAll(list...)
}

// Fingerprint returns a digest of what the agents of the tenant learned, or one of them. The
// same root gives the same bytes. No scope permits it.
func (t *Tenant) Fingerprint(ctx context.Context, o FingerprintOptions) (*Fingerprint, error) {
	if err := t.unscoped(ctx, "fingerprint"); err != nil {
		return nil, err
	}
	o.Tenant = t.name
	return t.engine.Fingerprint(ctx, o)
}

// ImportFingerprint stores a fingerprint, so that it guides packs of the strategy
// fingerprint_guided: those of everyone who can see it, if its writer has the trust of a user,
// and otherwise those of the agent that wrote it. It refuses a wrong hash, and a fingerprint
// that is already there changes nothing. Forget and Redact remove it.
func (t *Tenant) ImportFingerprint(ctx context.Context, f *Fingerprint, v Visibility) (*PutResult, error) {
	if f == nil {
		return nil, fault.New(fault.InvalidArgument, "fingerprint: there is none").WithFix("give one that Fingerprint or DecodeFingerprint returned")
	}
	data, err := f.Encode()
	if err != nil {
		return nil, err
	}
	body := memory.NewFingerprint(data)
	body.Visibility = v
	return t.Put(ctx, body, AnyVersion())
}
