package registry

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"lukasa.dev"
	"lukasa.dev/hmx"
	"lukasa.dev/internal/board"
	"lukasa.dev/internal/fault"
)

// Registry is the system tenant of a board. It is safe for concurrent use.
type Registry struct {
	board *lukasa.Board
}

// New returns the registry of a board.
func New(b *lukasa.Board) *Registry { return &Registry{b.AsSystem(board.System())} }

// Document is a document with a name.
type Document struct {
	Name    string
	Content json.RawMessage
	By      string // its last writer
	Created time.Time
	Updated time.Time
	Dropped bool
	Reason  string // why it was dropped
}

// tenant is the system tenant with a writer. Its callers act as operators in the records.
func (r *Registry) tenant(by string) *lukasa.Tenant {
	return r.board.Tenant(lukasa.SystemTenant, lukasa.Writer{Actor: by, Trust: lukasa.Operator})
}

// Put stores a document under a name of a collection, replacing an existing one. text describes
// it in one line. With fresh, an existing one is refused.
func (r *Registry) Put(ctx context.Context, by, collection, name, text string, content any, fresh bool) error {
	data, err := json.Marshal(content)
	if err != nil {
		return err
	}
	expect := lukasa.AnyVersion()
	if fresh {
		expect = lukasa.Version(0)
	}
	_, err = r.tenant(by).Put(ctx, &lukasa.Memory{
		Type: "fact", Key: collection + "/" + name, Text: text, Tags: []string{collection}, Metadata: hmx.Raw(data),
	}, expect)
	return err
}

// Drop ends a document. Its history stays.
func (r *Registry) Drop(ctx context.Context, by, collection, name, reason string) error {
	ref := lukasa.Ref{Kind: lukasa.MemoryKind, Key: collection + "/" + name}
	_, err := r.tenant(by).Forget(ctx, ref, reason, lukasa.AnyVersion())
	return err
}

// All returns the documents of a collection, including dropped ones, in no particular order.
func (r *Registry) All(ctx context.Context, collection string) ([]Document, error) {
	var list []Document
	for _, state := range []lukasa.State{lukasa.Live, lukasa.Forgotten} {
		for after := ""; ; {
			page, err := r.tenant("").List(ctx, lukasa.ListOptions{Tag: collection, State: state, Limit: 1000, After: after})
			if errors.Is(err, fault.NotFound) {
				return nil, nil // nothing was ever stored here
			}
			if err != nil {
				return nil, err
			}
			for _, thing := range page.Things {
				d, err := document(collection, thing)
				if err != nil {
					return nil, err
				}
				list = append(list, d)
			}
			if after = page.Next; after == "" {
				break
			}
		}
	}
	return list, nil
}

// document converts a record to a document.
func document(collection string, thing *lukasa.Thing) (Document, error) {
	m, ok := thing.Body.(*lukasa.Memory)
	if !ok {
		return Document{}, fault.Newf(fault.Internal, "%s is not a memory", thing.URI)
	}
	return Document{
		Name: strings.TrimPrefix(m.Key, collection+"/"), Content: json.RawMessage(m.Metadata), By: thing.Actor,
		Created: thing.Created, Updated: thing.Updated, Dropped: thing.State != lukasa.Live, Reason: thing.Note,
	}, nil
}
