package answer

import (
	"encoding/hex"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/merkle"
	"lukasa.dev/internal/tokens"
)

// ProvenPack is a pack with its proof.
type ProvenPack struct {
	Pack  *lukasa.Pack `json:"pack"`
	Proof PackProof    `json:"proof"`
}

// PackProof is the result of verifying a pack.
type PackProof struct {
	Size       uint64        `json:"size"`
	Root       string        `json:"root"`
	Digest     string        `json:"digest"`
	Records    int           `json:"records"`
	Checkpoint string        `json:"checkpoint"`
	Remade     lukasa.Remade `json:"remade"`
	Unchecked  string        `json:"unchecked,omitempty"` // why it was not composed again
	Entries    []EntryProof  `json:"entries"`
}

// EntryProof is the result for one entry.
type EntryProof struct {
	SourceID string   `json:"source_id"`
	URI      string   `json:"uri"`
	Position uint64   `json:"position"`
	Leaf     string   `json:"leaf"`
	Path     []string `json:"path"`
	Sources  int      `json:"sources"`
}

// PackProofOf converts the proof of a pack.
func PackProofOf(p *lukasa.PackProof) PackProof {
	a := PackProof{
		Size: p.Size, Root: hex.EncodeToString(p.Root[:]), Digest: p.Digest, Records: p.Records, Checkpoint: p.Checkpoint,
		Remade: p.Remade, Unchecked: p.Unchecked, Entries: make([]EntryProof, len(p.Entries)),
	}
	for i, e := range p.Entries {
		a.Entries[i] = EntryProof{
			SourceID: e.SourceID, URI: e.URI, Position: e.Position, Leaf: hex.EncodeToString(e.Leaf[:]), Path: hexes(e.Path), Sources: e.Sources,
		}
	}
	return a
}

func hexes(list []merkle.Hash) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = hex.EncodeToString(list[i][:])
	}
	return out
}

// Block is a block of context with its token count.
type Block struct {
	Context string `json:"context"`
	Tokens  int    `json:"tokens"`
	Counter string `json:"counter"`
}

// BlockOf converts a block of context.
func BlockOf(text string) Block {
	return Block{text, tokens.Estimate().Count(text), tokens.Estimate().Name()}
}

// Parts are the parts of a score.
type Parts struct {
	Relevance  float64 `json:"relevance"`
	Recency    float64 `json:"recency"`
	Provenance float64 `json:"provenance"`
	Salience   float64 `json:"salience"`
}

// Verdict is the decision about a candidate.
type Verdict struct {
	Section   hmx.Section `json:"section"`
	Rank      int         `json:"rank"`
	Score     float64     `json:"score"`
	Parts     Parts       `json:"parts"`
	Tokens    int         `json:"tokens"`
	Of        int         `json:"of,omitempty"`
	Pass      *int        `json:"pass,omitempty"` // only if it is in the pack
	Truncated bool        `json:"truncated"`
}

// Explanation says why a record is in a pack, or is not.
type Explanation struct {
	PackID  string      `json:"pack_id"`
	URI     *lukasa.URI `json:"uri,omitempty"`
	In      bool        `json:"in"`
	Reason  string      `json:"reason"`
	Detail  string      `json:"detail"`
	Verdict *Verdict    `json:"verdict,omitempty"`
}

// ExplanationOf converts an explanation.
func ExplanationOf(e *lukasa.Explanation) *Explanation {
	a := &Explanation{PackID: e.PackID, In: e.In, Reason: e.Reason, Detail: e.Detail}
	if !e.URI.IsZero() {
		a.URI = &e.URI
	}
	if v := e.Verdict; v != nil {
		a.Verdict = &Verdict{Section: v.Candidate.Section, Rank: v.Rank, Score: v.Score, Parts: Parts(v.Parts), Tokens: v.Tokens, Of: v.Of, Truncated: v.Truncated}
		if e.In {
			a.Verdict.Pass = &v.Pass
		}
	}
	return a
}
