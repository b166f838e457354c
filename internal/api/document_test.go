package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"lukasa.dev/internal/operation"
)

var update = flag.Bool("update", false, "rewrite docs/api.md")

// preface is the beginning of docs/api.md.
const preface = `# Operations

<!-- Made from the table in internal/api by its tests: go test ./internal/api -run TestDocument -update -->

All operations of a server. Each is a route of the [HTTP interface](formats/http.md) and, if stated, a tool of [MCP](mcp.md)
and a command. The answer is the same on all of them; [answers.md](formats/answers.md) describes it.

- **Rights** are those of the credential: read, write, admin. None implies another. *Operators* means that only operators may
  call it, *no scope* that no caller with a scope token may. An operator names the tenant with ` + "`X-Lukasa-Tenant`" + `, which is
  optional for *any tenant*.
- A key of an agent reads and writes as that agent only. A key of a tenant sees all records of the tenant, and ` + "`agent_id`" + `
  limits that to what the agent sees.
- Requests are strict: unknown names, names in another case, duplicate names, values of another type or out of range, and
  ` + "`null`" + ` are ` + "`invalid_argument`" + `, which names the field, the rule and the fix. Over MCP, path and query parameters of HTTP
  are members of the arguments.
- A page has ` + "`next`" + `, the value of ` + "`after`" + ` for the next page, or ` + "`null`" + ` at the end.
- A write may require a version: ` + "`If-Match`" + ` with an ETag, ` + "`If-None-Match: *`" + `, or ` + "`if_version`" + ` if the operation has it.
`

// written returns the table as markdown.
func written() []byte {
	var b bytes.Buffer
	b.WriteString(preface)
	group := ""
	for _, o := range Operations() {
		if o.Group != group {
			group = o.Group
			fmt.Fprintf(&b, "\n## %s\n", group)
		}
		fmt.Fprintf(&b, "\n### `%s`\n\n%s", o.Name, o.Short)
		if o.Long != "" {
			b.WriteString(" " + o.Long)
		}
		fmt.Fprintf(&b, "\n\n`%s %s` · rights: %s", o.Method, o.Path, strings.Join(o.Needs.Names(), ", "))
		if o.Then != 0 {
			fmt.Fprintf(&b, " · for some requests also: %s", strings.Join(o.Then.Names(), ", "))
		}
		for _, x := range []struct {
			holds bool
			says  string
		}{{o.Board || o.Operators, "operators"}, {o.Unscoped, "no scope"}, {o.AnyTenant || o.Board, "any tenant"}, {o.Stream, "streams"}, {o.Media != "", "answers `" + o.Media + "`"}} {
			if x.holds {
				b.WriteString(" · " + x.says)
			}
		}
		if o.Command != "" {
			fmt.Fprintf(&b, " · `lukasa %s`", o.Command)
		}
		if o.Tool != nil {
			name := o.Tool.Name
			if name == "" {
				name = o.Name
			}
			fmt.Fprintf(&b, " · tool `%s`", name)
			if o.Tool.Default {
				b.WriteString(", by default")
			}
		}
		b.WriteString("\n")
		documentFields(&b, o.Fields())
	}
	return b.Bytes()
}

// documentFields writes the fields of a request.
func documentFields(b *bytes.Buffer, fields []*operation.Field) {
	if len(fields) == 0 {
		return
	}
	b.WriteString("\n| field | in | | |\n|---|---|---|---|\n")
	for _, f := range fields {
		needed := ""
		switch {
		case f.Required:
			needed = "required"
		case f.Default() != "":
			needed = "`" + f.Default() + "`"
		}
		name := "`" + f.Name + "`"
		if f.Also != "" {
			name += " or `" + f.Also + "`"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", name, f.Place, needed, strings.ReplaceAll(about(f), "|", "\\|"))
	}
}

// about describes a field.
func about(f *operation.Field) string {
	text := f.Doc
	var s struct {
		Type             string
		Minimum, Maximum *json.Number
	}
	if json.Unmarshal(f.Schema(), &s) == nil && s.Type != "" {
		kind := s.Type
		if kind == "array" {
			kind = "list"
		}
		switch {
		case len(f.Choices()) > 0 && len(f.Choices()) < 12:
			kind += ": `" + strings.Join(f.Choices(), "` `") + "`"
		case s.Minimum != nil && s.Maximum != nil:
			kind += " from " + s.Minimum.String() + " to " + s.Maximum.String()
		case s.Minimum != nil:
			kind += " from " + s.Minimum.String() + " on"
		}
		if text = kind + "; " + text; f.Doc == "" {
			text = kind
		}
	}
	return text
}

// docs/api.md equals the table.
func TestDocument(t *testing.T) {
	const path = "../../docs/api.md"
	want := written()
	if *update {
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the table says; go test ./internal/api -run TestDocument -update", path)
	}
}
