package vault

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/record"
)

// manifestFormat is the version of the manifest.
const manifestFormat = 1

// Manifest lists the files that a vault wrote, and the state of the board then. It is stored
// beside them. A file that is not in it, or has changed since, must not be removed.
type Manifest struct {
	Format int              `json:"lukasa_vault"`
	Tenant string           `json:"tenant"`
	Files  map[string]Entry `json:"files"`
}

// Entry is a file of a manifest.
type Entry struct {
	// File is the hash of the bytes that were written, and Next of those about to be written:
	// after an interruption, both count as the vault's own. A file of another author has
	// neither.
	File string `json:"file,omitempty"`
	Next string `json:"next,omitempty"`
	// Kind and ID are of the versioned record in the file, and Content is the hash of its
	// content.
	Kind    string `json:"kind,omitempty"`
	ID      string `json:"id,omitempty"`
	Content string `json:"content,omitempty"`
}

// NewManifest returns the manifest of a vault without files.
func NewManifest(tenant string) *Manifest {
	return &Manifest{Format: manifestFormat, Tenant: tenant, Files: map[string]Entry{}}
}

// EntryOf returns the entry of a file that is being written.
func EntryOf(f *File) Entry {
	e := Entry{File: Sum(f.Data), ID: f.ID, Content: f.Content}
	if f.ID != "" {
		e.Kind = f.Kind.String()
	}
	return e
}

// Wrote reports whether the vault wrote these bytes.
func (e Entry) Wrote(data []byte) bool {
	sum := Sum(data)
	return sum == e.File || sum == e.Next
}

// Append writes the manifest.
func (m *Manifest) Append(dst []byte) ([]byte, error) {
	data, err := json.MarshalIndent(m, "", " ")
	return append(append(dst, data...), '\n'), err
}

// ParseManifest reads a manifest. It refuses a newer format.
func ParseManifest(data []byte) (*Manifest, error) {
	m := &Manifest{}
	if err := json.Unmarshal(data, m); err != nil || m.Format < 1 {
		return nil, fault.Newf(fault.InvalidDocument, "%s is not readable", ManifestPath).WithFix("export into a new directory")
	}
	if m.Format > manifestFormat {
		return nil, fault.Newf(fault.NewerFormat, "%s is of format %d, and this program knows %d", ManifestPath, m.Format, manifestFormat)
	}
	if m.Files == nil {
		m.Files = map[string]Entry{}
	}
	for path := range m.Files {
		if !filepath.IsLocal(path) || strings.ContainsAny(path, "\\:\x00") {
			return nil, fault.Newf(fault.InvalidDocument, "%s names %.80q, which is not in the vault", ManifestPath, path).WithFix("export into a new directory")
		}
	}
	return m, nil
}

// Removable reports whether a path is one that a vault writes, so that the vault may remove
// the file if it is unchanged.
func Removable(path string) bool {
	dir, name, ok := strings.Cut(path, "/")
	if !ok || dir != "memories" && dir != "artifacts" || !strings.HasSuffix(name, ".md") {
		return false
	}
	for _, c := range []byte(strings.TrimSuffix(name, ".md")) {
		if c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// KindOf returns the kind of an entry, or zero if it is not of a versioned record.
func (e Entry) KindOf() record.Kind {
	kind, _ := kindNamed(e.Kind)
	return kind
}
