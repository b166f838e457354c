package agentstest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Environment variables; the package comment describes them.
const (
	envNPM    = "LUKASA_NPM"
	envBinary = "LUKASA_AGENTS_BINARY"
	envCache  = "LUKASA_AGENTS_DIR"
	envKeep   = "LUKASA_AGENTS_KEEP"
)

// ErrUnavailable says that an agent cannot be installed here. The error that wraps it says why.
var ErrUnavailable = errors.New("the agent cannot be installed here")

// Install returns the program of an agent, and installs it from npm if the cache lacks it.
// Concurrent installations are safe: each writes a directory of its own and renames it.
func (a *Agent) Install(ctx context.Context) (program string, err error) {
	if os.Getenv(envNPM) != "1" {
		return "", fmt.Errorf("%w: it comes from npm, and %s=1 allows that", ErrUnavailable, envNPM)
	}
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return "", fmt.Errorf("%w: its drivers are for Linux and macOS", ErrUnavailable)
	}
	cache := os.Getenv(envCache)
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(dir, "lukasa-agents")
	}
	dir := filepath.Join(cache, strings.ReplaceAll(strings.TrimPrefix(a.Package, "@"), "/", "-")+"-"+a.Version)
	if program, err := a.find(dir); err == nil {
		return program, nil
	}
	if err := npmInstall(ctx, cache, dir, a.Package+"@"+a.Version); err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return a.find(dir)
}

// npmInstall installs a package and its dependencies into a directory. Install scripts are not
// run: the native programs are packages by themselves.
func npmInstall(ctx context.Context, cache, dir, spec string) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(cache, ".install-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := os.WriteFile(filepath.Join(tmp, "package.json"), []byte(`{"private":true}`), 0o644); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", spec)
	cmd.Dir = tmp
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install %s: %w\n%s", spec, err, out)
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, e := os.Stat(dir); e == nil { // another process was faster
			return nil
		}
		return err
	}
	return nil
}

// find finds the program of an agent in a directory of the cache.
func (a *Agent) find(dir string) (string, error) {
	for _, pattern := range a.programs {
		found, err := filepath.Glob(filepath.Join(dir, "node_modules", filepath.FromSlash(pattern)))
		if err != nil {
			return "", err
		}
		if len(found) > 0 {
			return found[0], nil
		}
	}
	return "", fmt.Errorf("%s: %w", dir, fs.ErrNotExist)
}

// platform is npm's name of this system and processor.
func platform() string {
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	return runtime.GOOS + "-" + arch
}
