package hmx

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// The published schemas are what the tables print.
func TestSchemaFilesMatchTheTables(t *testing.T) {
	for _, k := range Kinds() {
		want := specOf(k).shape.Schema(schemaID(k), "HMX "+titles[k])
		path := filepath.Join("schema", string(k)+".json")
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		got, err := Schema(k)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from the tables: run go test ./hmx -run TestSchemaFiles -update", path)
		}
	}
}

var titles = map[Kind]string{KindEvent: "Event", KindArtifact: "Artifact", KindPack: "Context Pack"}
