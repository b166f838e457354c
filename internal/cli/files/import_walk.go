package files

import (
	"context"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lukasa.dev/internal/cli/ask"
	"lukasa.dev/internal/cli/term"
	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/migrate"
	"lukasa.dev/internal/migrate/foreign"
	"lukasa.dev/internal/migrate/source"
)

// foundFile is a file that is to be imported.
type foundFile struct {
	name  string // to open it by
	path  string // below the directory that was named, with slashes
	size  int64
	time  time.Time
	below bool // it was found below a directory, and not named itself
	once  bool // it can be read only once
	// assemble puts it together of other files; nil for a file that is read as it is.
	assemble func(ctx context.Context, whole bool) io.Reader
}

// maxDepth is how deep directories are looked into.
const maxDepth = 32

// findFiles returns the files that an argument names: itself, or those below a directory that
// are of the format, in order. Links below a directory are not followed, so that nothing
// outside of it is read.
func findFiles(ctx context.Context, s *ask.Shell, arg string, f foreign.Format, leave func(file string, why source.Reason, detail string)) ([]foundFile, error) {
	info, err := s.Files.Stat(arg)
	if err != nil {
		return nil, ask.CannotOpen(arg, err)
	}
	if !info.IsDir() {
		return []foundFile{{name: arg, path: filepath.Base(arg), size: info.Size(), time: info.ModTime(), once: !info.Mode().IsRegular()}}, nil
	}
	var out []foundFile
	var visit func(dir, below string, depth int) error
	visit = func(dir, below string, depth int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		entries, err := s.Files.List(dir)
		if err != nil {
			leave(dir, source.Unreadable, term.Cause(err).Error())
			return nil
		}
		slices.SortFunc(entries, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
		for _, e := range entries {
			name, path := filepath.Join(dir, e.Name()), strings.TrimPrefix(below+"/"+e.Name(), "/")
			switch {
			case strings.HasPrefix(e.Name(), "."):
			case e.Mode()&fs.ModeSymlink != 0:
				leave(name, source.Link, "links are not followed")
			case e.IsDir() && depth < maxDepth:
				if err := visit(name, path, depth+1); err != nil {
					return err
				}
			case !e.Mode().IsRegular() || !migrate.Wants(f, e.Name()):
				leave(name, source.OtherFile, "a file of another sort")
			default:
				out = append(out, foundFile{name: name, path: path, size: e.Size(), time: e.ModTime(), below: true})
			}
		}
		return nil
	}
	if err := visit(arg, "", 0); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fault.Newf(fault.UnreadableInput, "there is no file of %s below %q", f, arg).
			WithFix("name the directory or the file that the program writes to; docs/import.md says which")
	}
	return out, nil
}
