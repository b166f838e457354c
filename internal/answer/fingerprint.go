package answer

import (
	"errors"

	"lukasa.dev"
)

// Fingerprints are the imported fingerprints, newest first.
type Fingerprints struct {
	Fingerprints []Fingerprint `json:"fingerprints"`
	Next         *string       `json:"next"`
}

// Fingerprint is a fingerprint of a list.
type Fingerprint struct {
	URI        lukasa.URI        `json:"uri"`
	Hash       string            `json:"hash"`
	Actor      string            `json:"actor"`
	Trust      lukasa.Trust      `json:"trust"`
	Visibility lukasa.Visibility `json:"visibility"`
	UpdatedAt  string            `json:"updated_at"`
	Bytes      int               `json:"bytes"`
	Origins    int               `json:"origins"`
	Tasks      int64             `json:"tasks"`
	Tools      int               `json:"tools"`
	Artifacts  int               `json:"artifacts"`
}

// FingerprintOf converts a fingerprint of a list.
func FingerprintOf(x *lukasa.Thing) (Fingerprint, error) {
	body, ok := x.Body.(*lukasa.FingerprintBody)
	if !ok {
		return Fingerprint{}, errors.New("a list of fingerprints has something else")
	}
	a := Fingerprint{
		URI: x.URI.Head(), Hash: body.Hash(), Actor: x.Actor, Trust: x.Trust, Visibility: body.Visibility,
		UpdatedAt: Instant(x.Updated), Bytes: len(body.Document),
	}
	if f, err := lukasa.DecodeFingerprint([]byte(body.Document)); err == nil { // otherwise it is from another version of the program
		a.Origins, a.Tasks, a.Tools, a.Artifacts = len(f.Origins), f.Behaviour.Tasks, len(f.Behaviour.Tools), len(f.Artifacts)
	}
	return a, nil
}

// FingerprintsOf converts a page of fingerprints.
func FingerprintsOf(page *lukasa.Page) (*Fingerprints, error) {
	out := &Fingerprints{Fingerprints: make([]Fingerprint, len(page.Things)), Next: NextPage(page.Next)}
	for i, x := range page.Things {
		var err error
		if out.Fingerprints[i], err = FingerprintOf(x); err != nil {
			return nil, err
		}
	}
	return out, nil
}
