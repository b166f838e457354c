package policy

import (
	"encoding/json"
	"fmt"

	"lukasa.dev/hmx"
)

// The members of the content of a failure playbook, beyond those of HMX-A, for suggestions of
// the next step.
const (
	memberSignature = "signature"
	memberNext      = "next"
)

// Recovery is what was done after a tool failed with an error.
type Recovery struct {
	Tool  string
	Error string   // the signature
	Next  []Chosen // most often first, then by name
}

// Members returns the members of a failure playbook with this recovery.
func (r *Recovery) Members() (hmx.Extra, error) {
	extra := make(hmx.Extra, 3)
	for name, v := range map[string]any{memberTool: r.Tool, memberSignature: r.Error, memberNext: r.Next[:min(len(r.Next), MaxChosen)]} {
		data, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("content of a playbook, member %s: %w", name, err)
		}
		extra[name] = hmx.Raw(data)
	}
	return extra, nil
}

// ReadFailure returns the tool and the error signature of a playbook, even if it has no
// recovery. ok is false if they are missing.
func ReadFailure(c *hmx.FailurePlaybook) (tool, signature string, ok bool) {
	read := func(name string, v *string) bool {
		raw, there := c.Extra[name]
		return there && json.Unmarshal([]byte(raw), v) == nil && *v != ""
	}
	ok = read(memberTool, &tool) && read(memberSignature, &signature)
	return tool, signature, ok
}

// ReadRecovery decodes the members that Members encodes. ok is false if they are missing or
// invalid.
func ReadRecovery(c *hmx.FailurePlaybook) (r *Recovery, ok bool) {
	r = &Recovery{}
	read := func(name string, v any) bool {
		raw, there := c.Extra[name]
		return there && json.Unmarshal([]byte(raw), v) == nil
	}
	if !read(memberTool, &r.Tool) || !read(memberSignature, &r.Error) || !read(memberNext, &r.Next) {
		return nil, false
	}
	for _, chosen := range r.Next {
		if !chosen.valid() {
			return nil, false
		}
	}
	return r, len(r.Next) > 0 && len(r.Next) <= MaxChosen
}
