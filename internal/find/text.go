package find

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/retrieval"
)

// content is the content of a record or an event, as far as a find needs it.
type content struct {
	text string
	more []string // further words: key, tags, names
	data string   // the member of the document that is its data; empty for the document itself
	json func() ([]byte, error)
	doc  *canon.Doc
}

// document returns the JSON of the content, or nil if there is none.
func (x *content) document() (*canon.Doc, canon.Node) {
	if x.doc == nil {
		data, err := x.json()
		if err != nil {
			return nil, canon.None
		}
		x.doc = new(canon.Doc)
		if x.doc.Parse(data); !x.doc.Complete() {
			x.doc = nil
			return nil, canon.None
		}
	}
	return x.doc, x.doc.Root()
}

// contentOf returns the content of a body.
func contentOf(body memory.Body) *content {
	_, key := body.Identity()
	facets := body.Facets()
	x := &content{
		text: retrieval.OwnText(body), more: append([]string{key}, facets.Tags...),
		json: func() ([]byte, error) { return body.AppendJSON(nil) },
	}
	switch body.(type) {
	case *memory.Memory:
		x.data = "data"
	case *memory.Entity:
		x.data, x.more = "attributes", append(x.more, facets.Names...)
	case *memory.Artifact:
		x.data = "content"
	}
	return x
}

// contentOfEvent returns the content of an event.
func contentOfEvent(ev *hmx.Event) *content {
	return &content{
		text: kind.Full(ev), more: ev.Tags, data: "content",
		json: func() ([]byte, error) { return ev.AppendJSON(nil) },
	}
}

// words returns the texts that a question is compared with.
func (x *content) words() []string { return append([]string{x.text}, x.more...) }
