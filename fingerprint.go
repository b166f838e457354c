package lukasa

import (
	"context"

	"lukasa.dev/internal/engine"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/fingerprint"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// What an agent learned, in short, to be carried elsewhere. docs/fingerprints.md shows
// how, docs/formats/fingerprint.md what it has.
type (
	// Fingerprint is a digest of what an agent learned (HMX-F): less than 100,000 bytes,
	// without any text of events.
	Fingerprint = fingerprint.Fingerprint
	// FingerprintOptions says what a fingerprint is made of. The zero value works.
	FingerprintOptions = engine.FingerprintOptions
	// FingerprintBody is a fingerprint that was brought in.
	FingerprintBody = memory.Fingerprint
	// Visibility says who may be shown a thing.
	Visibility = memory.Visibility
)

// Who may be shown a thing.
const (
	VisiblePrivate = memory.VisiblePrivate
	VisibleTenant  = memory.VisibleTenant
)

// FingerprintKind is of fingerprints that were brought in.
const FingerprintKind = record.Fingerprint

// MaxFingerprintRead is the longest text of a fingerprint that is read, in bytes.
const MaxFingerprintRead = fingerprint.MaxRead

// DecodeFingerprint reads a fingerprint, strictly, and applies every rule but that its
// hash is right: its Verify says that, so that one which somebody changed can be looked
// at.
func DecodeFingerprint(data []byte) (*Fingerprint, error) { return fingerprint.Decode(data) }

// MergeFingerprints returns what fingerprints know together. Their order makes no
// difference, nor does one that is given twice.
func MergeFingerprints(list ...*Fingerprint) (*Fingerprint, error) {
	return fingerprint.MergeAll(list...)
}

// Fingerprint returns a digest of what the agents of the tenant learned, or one of them.
// The same root gives the same bytes. No scope may do it.
func (t *Tenant) Fingerprint(ctx context.Context, o FingerprintOptions) (*Fingerprint, error) {
	if err := t.unscoped(ctx, "fingerprint"); err != nil {
		return nil, err
	}
	o.Tenant = t.name
	return t.engine.Fingerprint(ctx, o)
}

// ImportFingerprint keeps a fingerprint, so that it guides packs of the strategy
// fingerprint_guided: those of everybody who can see it, if its writer has the trust of a
// user, else those of the agent that wrote it. One whose hash is not right is refused, and
// one that is there already changes nothing. Forget and Redact take it back.
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
