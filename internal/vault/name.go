package vault

import (
	"maps"
	"slices"
	"strings"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Limits of names. A path stays far below the limits of any file system, even in a deep
// directory.
const (
	maxSlug   = 48
	shortHash = 12 // hexadecimal digits
	longHash  = 40
)

// names are the paths and labels of pages.
type names struct {
	path  map[memory.URI]string
	label map[memory.URI]string
}

// nameAll gives each page its name: the one that it has in the vault, else a new one. If
// the short names of two pages collide, both get long ones.
func nameAll(tenant string, pages []Page, known *Manifest) *names {
	n := &names{path: map[memory.URI]string{}, label: map[memory.URI]string{}}
	n.keep(tenant, known)
	taken := map[string]int{}
	for _, path := range n.path {
		taken[path]++
	}
	for i := range pages {
		if u := pages[i].uri(tenant); n.path[u] == "" {
			taken[pathOf(pages[i].Body, shortHash)]++
		}
	}
	for i := range pages {
		p := &pages[i]
		u := p.uri(tenant)
		if n.path[u] == "" {
			if n.path[u] = pathOf(p.Body, shortHash); taken[n.path[u]] > 1 {
				n.path[u] = pathOf(p.Body, longHash)
			}
		}
		n.label[u] = label(p)
	}
	return n
}

// keep takes over the names of an existing vault. If two files are of one record, as
// after an interruption, the first one counts.
func (n *names) keep(tenant string, known *Manifest) {
	if known == nil {
		return
	}
	for _, path := range slices.Sorted(maps.Keys(known.Files)) {
		e := known.Files[path]
		u := memory.URI{Tenant: tenant, Kind: e.KindOf(), ID: e.ID}
		if e.File != "" && e.ID != "" && u.Kind != 0 && Removable(path) && n.path[u] == "" {
			n.path[u] = path
		}
	}
}

// pathOf returns the path of a versioned record: its key or the beginning of its text, as
// far as it is readable, and a hash of its id.
func pathOf(b memory.Body, digits int) string {
	id, key := b.Identity()
	dir, name := "memories", slug(key)
	switch b := b.(type) {
	case *memory.Memory:
		if name == "" {
			name = words(b.Text)
		}
		if name == "" {
			name = slug(string(b.Type))
		}
	case *memory.Artifact:
		dir = "artifacts"
		if name = words(b.HMX.Title); name == "" {
			name = slug(string(b.HMX.ArtifactType))
		}
	}
	sum := Sum([]byte(b.Kind().String() + "\x00" + id))
	if name != "" {
		return dir + "/" + name + "-" + sum[:digits] + ".md"
	}
	return dir + "/" + sum[:digits] + ".md"
}

// words returns the first words of a text as a name, cut between words unless the first
// is too long. It returns "" if hardly anything of the text can be written so.
func words(text string) string {
	const least = 3
	text = text[:min(len(text), 8*maxSlug)]
	s := slug(text)
	if len(s) < least {
		return ""
	}
	if at := strings.LastIndexByte(s, '-'); len(s) >= maxSlug-1 && at >= maxSlug/2 {
		s = s[:at]
	}
	return s
}

// slug returns a name in lower-case letters, digits and single hyphens.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxSlug {
			break
		}
	}
	return strings.Trim(b.String(), "-")
}

// links returns the links of a page by relation, in order, to pages that exist.
func (n *names) links(p *Page) map[string][]string {
	out := map[string][]string{}
	for _, l := range p.Links {
		path, ok := n.path[l.To.Head()]
		if !ok || !linkName(l.Rel) {
			continue
		}
		out[l.Rel] = append(out[l.Rel], "[["+strings.TrimSuffix(path, ".md")+"|"+n.label[l.To.Head()]+"]]")
	}
	return out
}

// linkName reports whether a property holds links, which are not read back.
func linkName(name string) bool {
	switch name {
	case "derived_from", "supersedes", "superseded_by", "supports", "contradicts", "part_of", "causes", "relates_to":
		return true
	}
	return strings.HasPrefix(name, "x-")
}

// kindNamed returns the kind that a file states.
func kindNamed(word string) (record.Kind, bool) {
	switch word {
	case "memory":
		return record.Memory, true
	case "artifact":
		return record.Artifact, true
	}
	return 0, false
}
