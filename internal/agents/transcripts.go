package agents

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"lukasa.dev/internal/fault"
	"lukasa.dev/internal/hook"
	"lukasa.dev/internal/migrate"
	"lukasa.dev/internal/migrate/foreign"
)

// Transcripts are an agent's own records on this machine.
type Transcripts struct {
	// Format is how it is written.
	Format foreign.Format
	// Directories are those that have any, Looked those that were searched.
	Directories, Looked []string
	// Files, Sessions and Bytes are the amounts.
	Files, Sessions int
	Bytes           int64
	// Newest is the last modification time.
	Newest time.Time
	// Note says why some cannot be read, or is empty.
	Note string
	// store is a store that only the agent's own program reads.
	store *ownStore
}

// Transcripts finds an agent's own records. It does not follow links or read files; OpenCode
// itself lists its sessions. If the records of an agent cannot be read, the error says why, and
// what to do.
func (a *Agent) Transcripts(ctx context.Context, w *World) (*Transcripts, error) {
	found := &Transcripts{Format: foreign.Format(a.Name)}
	switch a.Name {
	case hook.ClaudeCode:
		found.Looked = []string{filepath.Join(claudeDir(w), "projects")}
	case hook.Codex:
		found.Looked = []string{filepath.Join(codexDir(w), "sessions"), filepath.Join(codexDir(w), "archived_sessions")}
	case hook.GeminiCLI:
		tmp := filepath.Join(geminiDir(w), "tmp")
		found.Looked, _ = filepath.Glob(filepath.Join(globbed(tmp), "*", "chats")) // the pattern is valid
		if len(found.Looked) == 0 {
			found.Looked = []string{tmp}
			return found, nil
		}
	case hook.OpenCode:
		return found, a.openCodeTranscripts(ctx, w, found)
	default:
		return nil, a.unread()
	}
	for _, dir := range found.Looked {
		before := found.Files
		if err := found.look(ctx, dir, 0); err != nil {
			return nil, err
		}
		if found.Files > before {
			found.Directories = append(found.Directories, dir)
		}
	}
	return found, nil
}

// globbed escapes a path for filepath.Glob.
func globbed(path string) string {
	if strings.ContainsRune(path, '\\') {
		return path // on Windows nothing can be escaped
	}
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// maxDepth is how deep directories are searched, as by an import.
const maxDepth = 32

// look counts the files below a directory.
func (t *Transcripts) look(ctx context.Context, dir string, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unreadable(dir, err)
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case strings.HasPrefix(name, "."):
		case e.IsDir() && depth < maxDepth:
			if err := t.look(ctx, filepath.Join(dir, name), depth+1); err != nil {
				return err
			}
		case e.Type().IsRegular() && migrate.Wants(t.Format, name):
			t.count(e)
		}
	}
	return nil
}

// count counts one file. Files of sub-agents belong to the parent session.
func (t *Transcripts) count(e fs.DirEntry) {
	info, err := e.Info()
	if err != nil {
		return // it is gone again
	}
	t.Files++
	t.Bytes += info.Size()
	sub := t.Format == foreign.ClaudeCode && strings.HasPrefix(e.Name(), "agent-") || t.Format == foreign.GeminiCLI && !strings.HasPrefix(e.Name(), "session-")
	if !sub {
		t.Sessions++
	}
	if info.ModTime().After(t.Newest) {
		t.Newest = info.ModTime()
	}
}

// unread is the error for an agent whose records cannot be imported.
func (a *Agent) unread() error {
	why := map[string][2]string{
		hook.Cursor:        {"Cursor keeps its chats in databases of its own, in no documented form", "leave --backfill out: the hooks record what comes from now on"},
		hook.VSCode:        {"VS Code keeps its chats in files of its own, in no documented form", "leave --backfill out: the hooks record what comes from now on"},
		hook.ClaudeDesktop: {"Claude Desktop keeps its conversations on its server, not on this machine", "leave --backfill out; export them at claude.ai, and then `lukasa import --from anthropic-messages conversations.json`"},
	}[a.Name]
	return fault.New(fault.Usage, "there are no transcripts to import: "+why[0]).WithFix(why[1])
}
