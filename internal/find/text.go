package find

import (
	"lukasa.dev/hmx"
	"lukasa.dev/internal/canon"
	"lukasa.dev/internal/kind"
	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/retrieval"
)

// content is what a thing or an event says, as far as a find asks for it.
type content struct {
	text string
	more []string // what its words are besides: key, tags, names
	data string   // which member of the document is its data; empty for the document itself
	json func() ([]byte, error)
	doc  *canon.Doc
}

// document returns the JSON of the content, or nil if there is none to be had.
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

// contentOf returns what a body says.
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

// contentOfEvent returns what an event says.
func contentOfEvent(ev *hmx.Event) *content {
	return &content{
		text: kind.Full(ev), more: ev.Tags, data: "content",
		json: func() ([]byte, error) { return ev.AppendJSON(nil) },
	}
}

// words returns what a text is compared with.
func (x *content) words() []string { return append([]string{x.text}, x.more...) }
