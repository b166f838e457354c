package api

import (
	"context"
	"encoding/json"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/answer"
	"lukasa.dev/internal/auth"
	"lukasa.dev/internal/operation"
)

// fingerprintOperations export and import fingerprints.
func fingerprintOperations() []*operation.Operation {
	const forTenant = "an administrator of the tenant exports and imports fingerprints"
	return []*operation.Operation{
		operation.Define(operation.Operation{
			Name: "export_fingerprint", Group: operation.GroupKnowledge, Short: "Return a digest of what the agents of the tenant learned, or one agent.",
			Long:   "The answer is the fingerprint itself (HMX-F), the same bytes for the same root.",
			Method: "GET", Path: "/v1/fingerprint", Command: "fingerprint export", Without: forTenant,
			Needs: reads | auth.Admin, Unscoped: true,
		}, runExportFingerprint),
		operation.Define(operation.Operation{
			Name: "import_fingerprint", Group: operation.GroupKnowledge, Short: "Store a fingerprint, so that it guides packs.",
			Method: "POST", Path: "/v1/fingerprints", Command: "fingerprint import", Without: forTenant,
			Needs: writes, Wrote: true,
		}, runImportFingerprint),
		operation.Define(operation.Operation{
			Name: "list_fingerprints", Group: operation.GroupKnowledge, Short: "List the fingerprints that were imported, newest first.",
			Method: "GET", Path: "/v1/fingerprints", Command: "fingerprint list", Without: forTenant,
			Needs: reads,
		}, runListFingerprints),
	}
}

// exportFingerprintIn names the agent of the fingerprint.
type exportFingerprintIn struct {
	Agent string `query:"agent" doc:"only what this agent did; default all agents"`
}

// document is an answer that is a complete document.
type document struct{ text []byte }

// MarshalJSON returns the document as it is.
func (d document) MarshalJSON() ([]byte, error) { return d.text, nil }

func runExportFingerprint(ctx context.Context, c *operation.Call, in *exportFingerprintIn) (*document, error) {
	o := lukasa.FingerprintOptions{Agent: in.Agent}
	if tell := c.Counted("reading events"); tell != nil {
		o.Progress = func(done, all int) { tell(uint64(done), uint64(all)) }
	}
	f, err := c.Tenant().Fingerprint(ctx, o)
	if err != nil {
		return nil, err
	}
	text, err := f.Encode()
	return &document{text}, err
}

// importFingerprintIn is a fingerprint to import.
type importFingerprintIn struct {
	Fingerprint json.RawMessage `body:"fingerprint" doc:"an HMX-F document"`
	Private     bool            `query:"private" doc:"let it guide its writer alone"`
}

func runImportFingerprint(ctx context.Context, c *operation.Call, in *importFingerprintIn) (*answer.Write, error) {
	f, err := lukasa.DecodeFingerprint(in.Fingerprint)
	if err != nil {
		return nil, err
	}
	if err := f.Verify(); err != nil {
		return nil, err
	}
	visibility := lukasa.VisibleTenant
	if in.Private {
		visibility = lukasa.VisiblePrivate
	}
	t := c.Tenant()
	put, err := t.ImportFingerprint(ctx, f, visibility)
	if err != nil {
		return nil, err
	}
	return c.Wrote(ctx, t, put)
}

func runListFingerprints(ctx context.Context, c *operation.Call, in *pageIn) (*answer.Fingerprints, error) {
	v, err := c.HeadView("", hmx.Time{})
	if err != nil {
		return nil, err
	}
	found, err := c.Tenant().List(ctx, lukasa.ListOptions{Kind: lukasa.FingerprintKind, Limit: in.Limit, After: in.After, View: v})
	if err != nil {
		return nil, err
	}
	return answer.FingerprintsOf(found)
}
