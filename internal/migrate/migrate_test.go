package migrate

import (
	"bytes"
	"context"
	"testing"

	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
	"lukasa.dev/internal/migrate/sourcetest"
)

// readBytes reads a source that is at hand.
func readBytes(f foreign.Format, name string, data []byte) (*sourcetest.Sink, error) {
	c := &sourcetest.Sink{}
	src := source.Source{Name: name, Path: name, Modified: sourcetest.Modified(), Reader: bytes.NewReader(data)}
	err := Read(context.Background(), f, src, source.Options{Tenant: "acme"}, c)
	return c, err
}

// fixtures returns the fixtures of each format, which are beside its reader.
func fixtures(t testing.TB) map[foreign.Format][]string {
	t.Helper()
	out := map[foreign.Format][]string{}
	for _, f := range Formats() {
		out[f] = sourcetest.Fixtures(t, "*", f)
	}
	return out
}
