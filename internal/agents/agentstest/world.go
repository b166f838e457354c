package agentstest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// World is the home directory of an agent, with its content.
type World struct {
	// Root contains everything else.
	Root string
	// Home is the home directory, Data the data directory of Lukasa.
	Home, Data string
	// Lukasa is the path of the program.
	Lukasa string
	// Proxy is the address of the model, through which all connections go.
	Proxy string

	env map[string]string
}

// NewWorld makes a world in an empty directory.
func NewWorld(root, lukasa, proxy string) (*World, error) {
	w := &World{Root: root, Home: filepath.Join(root, "home"), Lukasa: lukasa, Proxy: proxy}
	w.Data = filepath.Join(w.Home, ".lukasa")
	for _, dir := range []string{w.Home, w.bin(), filepath.Join(root, "tmp"), filepath.Join(root, "src"), filepath.Join(root, "origin")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
	}
	if err := os.Symlink(lukasa, filepath.Join(w.bin(), "lukasa")); err != nil {
		return nil, err
	}
	w.env = map[string]string{
		"HOME": w.Home, "PATH": w.bin() + string(os.PathListSeparator) + os.Getenv("PATH"), "TMPDIR": filepath.Join(root, "tmp"),
		"LANG": "C.UTF-8", "TERM": "xterm-256color", "SHELL": "/bin/bash", "USER": "bench", "TZ": "UTC",
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
		// Everything except loopback goes to a proxy that connects to nothing.
		"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy, "http_proxy": proxy, "https_proxy": proxy,
		"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost",
		"npm_config_proxy": proxy, "npm_config_https_proxy": proxy, "npm_config_fetch_retries": "0",
	}
	settings := "[user]\n\tname = Bench\n\temail = bench@example.com\n[init]\n\tdefaultBranch = main\n[push]\n\tdefault = simple\n[advice]\n\tdetachedHead = false\n"
	return w, os.WriteFile(filepath.Join(w.Home, ".gitconfig"), []byte(settings), 0o644)
}

func (w *World) bin() string { return filepath.Join(w.Root, "bin") }

// Environ is the environment of the world's processes, with more entries.
func (w *World) Environ(more ...string) []string {
	var all []string
	for k, v := range w.env {
		all = append(all, k+"="+v)
	}
	return append(all, more...)
}

// Write writes a file below the home directory.
func (w *World) Write(name, content string) error {
	file := filepath.Join(w.Home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(content), 0o644)
}

// Run runs a program in the world and returns its output.
func (w *World) Run(ctx context.Context, dir, name string, args ...string) (string, error) {
	if name == "lukasa" {
		name = w.Lukasa
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, w.Environ()
	p, err := start(ctx, 2*time.Minute, cmd)
	if err != nil {
		return "", err
	}
	out, err := p.Wait()
	if err != nil {
		return out, fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return out, nil
}

// Start starts a program in the world.
func (w *World) Start(ctx context.Context, limit time.Duration, dir, name string, args ...string) (*Process, error) {
	if name == "lukasa" {
		name = w.Lukasa
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, w.Environ()
	return start(ctx, limit, cmd)
}

// Close kills the remaining processes of the world.
func (w *World) Close() { killHome(w.Home) }

// Project is a git repository with a bare remote named origin.
type Project struct {
	Dir, Bare string
	world     *World
	commits   int
}

// Project makes a repository whose first commit is on the remote's main branch.
func (w *World) Project(ctx context.Context, name string) (*Project, error) {
	p := &Project{Dir: filepath.Join(w.Root, "src", name), Bare: filepath.Join(w.Root, "origin", name+".git"), world: w}
	if _, err := w.Run(ctx, w.Root, "git", "init", "-q", "--bare", "-b", "main", p.Bare); err != nil {
		return nil, err
	}
	if _, err := w.Run(ctx, w.Root, "git", "init", "-q", "-b", "main", p.Dir); err != nil {
		return nil, err
	}
	if _, err := p.Git(ctx, "remote", "add", "origin", p.Bare); err != nil {
		return nil, err
	}
	if err := p.Commit(ctx); err != nil {
		return nil, err
	}
	_, err := p.Git(ctx, "push", "-q", "-u", "origin", "main")
	return p, err
}

// Git runs git in the repository.
func (p *Project) Git(ctx context.Context, args ...string) (string, error) {
	out, err := p.world.Run(ctx, p.Dir, "git", args...)
	return strings.TrimSpace(out), err
}

// Commit makes a commit, so that there is something to push.
func (p *Project) Commit(ctx context.Context) error {
	p.commits++
	if err := os.WriteFile(filepath.Join(p.Dir, "work.txt"), fmt.Appendf(nil, "state %d\n", p.commits), 0o644); err != nil {
		return err
	}
	if _, err := p.Git(ctx, "add", "-A"); err != nil {
		return err
	}
	_, err := p.Git(ctx, "commit", "-q", "-m", fmt.Sprintf("state %d", p.commits))
	return err
}

// Pushed reports whether the remote's main branch has the checked-out commit.
func (p *Project) Pushed(ctx context.Context) (bool, error) {
	here, err := p.Git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return false, err
	}
	there, err := p.world.Run(ctx, p.Bare, "git", "rev-parse", "main")
	return here == strings.TrimSpace(there), err
}
