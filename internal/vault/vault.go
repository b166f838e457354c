// Package vault writes memories and artifacts as Markdown files that people read and edit, and
// reads them back.
//
// A vault is a directory with one file for each memory and artifact, an index, and a manifest
// of what was written. docs/formats/vault.md describes the files.
//
// # What is guaranteed
//
//   - Purity: no clock, no randomness, no state, no I/O. The same pages give the same bytes, in
//     any order.
//   - A memory that is written and read back is the same, with the same bytes of text: a line
//     of dashes, a fence or what looks like front matter is ordinary text.
//   - File names are readable and stable: the name of a memory or artifact comes from its key,
//     else from its first words, and from its id, and does not change within a vault. Names are
//     short, lower-case ASCII and never reserved, so that they work on every file system.
//   - Anything unreadable is one [Problem] with line, rule and fix.
//   - Unknown properties are kept, since other programs write their own.
//
// # What is not
//
// The caller decides who may write, and whether a file is newer than the board. State that only
// the board sets, such as the version, is written for people and not read back, except for the
// trust, which can only lower that of the writer.
package vault

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
	"lukasa.dev/internal/tokens"
)

// Page is a memory or an artifact as it is on a board.
type Page struct {
	Body    memory.Body // *memory.Memory or *memory.Artifact
	Version uint32
	Trust   record.Trust
	Actor   string
	Status  string // of an artifact
	Created time.Time
	Updated time.Time
	// Links are its references to other pages. Links to records without a page are left out.
	Links []Link
}

// Link is a reference to another page.
type Link struct {
	Rel string // an edge's kind, or derived_from, supersedes, superseded_by
	To  memory.URI
}

// File is a file of a vault.
type File struct {
	Path string // below the directory, with slashes
	Data []byte
	// ID and Kind are of the versioned record in it, and Content is the hash of its content;
	// empty for other files.
	ID      string
	Kind    record.Kind
	Content string
}

// Names of the other files of a vault.
const (
	IndexPath      = "index.md"
	ManifestPath   = ".lukasa-vault.json"
	attributesPath = ".gitattributes"
)

// attributes keep git from changing line ends, which are part of texts.
const attributes = "*.md -text\n"

// EncodeInto returns the files of a vault, by path, without the manifest. The pages of an existing
// vault keep their names; known is nil for a new one.
func EncodeInto(known *Manifest, tenant string, pages []Page) ([]File, error) {
	names := nameAll(tenant, pages, known)
	files := []File{{Path: attributesPath, Data: []byte(attributes)}}
	var entries []entry
	for i := range pages {
		p := &pages[i]
		f := File{Path: names.path[p.uri(tenant)]}
		f.ID, _ = p.Body.Identity()
		f.Kind = p.Body.Kind()
		var err error
		if f.Content, err = Content(p.Body); err != nil {
			return nil, err
		}
		switch body := p.Body.(type) {
		case *memory.Memory:
			f.Data, err = encodeMemory(p, body, names)
			entries = append(entries, entry{section: string(body.Type), title: label(p), path: f.Path, says: body.Text})
		case *memory.Artifact:
			f.Data, err = encodeArtifact(p, body, names)
			entries = append(entries, entry{section: artifactSection, title: label(p), path: f.Path, says: body.HMX.Summary})
		}
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	files = append(files, File{Path: IndexPath, Data: index(tenant, entries)})
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// uri returns the URI of a page's record.
func (p *Page) uri(tenant string) memory.URI {
	id, _ := p.Body.Identity()
	return memory.URI{Tenant: tenant, Kind: p.Body.Kind(), ID: id}
}

// Content returns a hash of a record's JSON, without the fields that the board derives.
func Content(b memory.Body) (string, error) {
	if m, ok := b.(*memory.Memory); ok {
		plain := *m
		plain.Normalize()
		if plain.Forms == madeForms(&plain) {
			plain.Forms = memory.Forms{}
		}
		b = &plain
	}
	text, err := b.AppendJSON(nil)
	if err != nil {
		return "", err
	}
	return Sum(text), nil
}

// Sum returns a hash of bytes.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// madeForms returns the forms that a board derives for a memory that has none.
func madeForms(m *memory.Memory) memory.Forms {
	return memory.MakeForms(m.Text, m.Data, tokens.O200k())
}

// label returns the name of a page in links.
func label(p *Page) string {
	text := ""
	switch b := p.Body.(type) {
	case *memory.Memory:
		if text = b.Key; text == "" {
			text = firstWords(b.Text)
		}
	case *memory.Artifact:
		text = firstWords(b.HMX.Title)
	}
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune("[]|#^\\`<>", r) {
			return ' '
		}
		return r
	}, text))
	if text == "" {
		text, _ = p.Body.Identity()
	}
	return text
}

// firstWords returns the beginning of a text, on one line.
func firstWords(text string) string {
	const most = 80
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text[:min(len(text), 8*most)], "")), " ")
	if runes := []rune(text); len(runes) > most {
		text = strings.TrimSpace(string(runes[:most-1])) + "…"
	}
	return text
}

// entry is a line of the index.
type entry struct{ section, title, path, says string }

// artifactSection is the last section of the index, after those of memories.
const artifactSection = "artifacts"

// index is the list of all pages: memories by type, then artifacts, each by name.
func index(tenant string, entries []entry) []byte {
	var b bytes.Buffer
	b.WriteString("# " + markdown(tenant) + "\n\nWhat Lukasa remembers. Each line is a file; docs/formats/vault.md says how to edit one.\n")
	sections := make([]string, 0, len(memory.Types())+1)
	for _, t := range memory.Types() {
		sections = append(sections, string(t))
	}
	for _, section := range append(sections, artifactSection) {
		var own []entry
		for _, e := range entries {
			if e.section == section {
				own = append(own, e)
			}
		}
		if len(own) == 0 {
			continue
		}
		slices.SortFunc(own, func(a, b entry) int {
			if c := strings.Compare(a.title, b.title); c != 0 {
				return c
			}
			return strings.Compare(a.path, b.path)
		})
		b.WriteString("\n## " + section + "\n\n")
		for _, e := range own {
			b.WriteString("- [" + markdown(e.title) + "](" + e.path + ")")
			if says := firstWords(e.says); says != "" && says != e.title {
				b.WriteString(": " + markdown(says))
			}
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// markdown escapes a text so that Markdown shows it literally.
func markdown(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case strings.ContainsRune("\\`*_{}[]<>#|!$~^=", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0:
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
