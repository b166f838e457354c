package vault

import (
	"strings"

	"lukasa.dev/internal/memory"
	"lukasa.dev/internal/record"
)

// Limits of names. A path is far below what any file system takes, in a deep directory too.
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

// nameAll gives each page its name. Two whose short names are the same, by the rarest of
// chances, both have long ones.
func nameAll(tenant string, pages []Page) *names {
	n := &names{path: map[memory.URI]string{}, label: map[memory.URI]string{}}
	taken := map[string]int{}
	for i := range pages {
		taken[pathOf(pages[i].Body, shortHash)]++
	}
	for i := range pages {
		p := &pages[i]
		u := p.uri(tenant)
		if n.path[u] = pathOf(p.Body, shortHash); taken[n.path[u]] > 1 {
			n.path[u] = pathOf(p.Body, longHash)
		}
		n.label[u] = label(p)
	}
	return n
}

// pathOf returns the path of a thing: what it is called, as far as that can be read, and a
// hash of its id.
func pathOf(b memory.Body, digits int) string {
	id, key := b.Identity()
	dir, name := "memories", key
	switch b := b.(type) {
	case *memory.Memory:
		if name == "" {
			name = string(b.Type)
		}
	case *memory.Artifact:
		dir, name = "artifacts", string(b.HMX.ArtifactType)
	}
	sum := Sum([]byte(b.Kind().String() + "\x00" + id))
	if s := slug(name); s != "" {
		return dir + "/" + s + "-" + sum[:digits] + ".md"
	}
	return dir + "/" + sum[:digits] + ".md"
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

// links returns the links of a page by what they say, in order, to pages that there are.
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

// linkName reports whether a property has links, which are not read back.
func linkName(name string) bool {
	switch name {
	case "derived_from", "supersedes", "superseded_by", "supports", "contradicts", "part_of", "causes", "relates_to":
		return true
	}
	return strings.HasPrefix(name, "x-")
}

// kindNamed returns the kind of what a file says that it has.
func kindNamed(word string) (record.Kind, bool) {
	switch word {
	case "memory":
		return record.Memory, true
	case "artifact":
		return record.Artifact, true
	}
	return 0, false
}
