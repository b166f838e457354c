package kind

import (
	"slices"
	"strings"
	"sync"

	"lukasa.dev/internal/memory"
)

// program is what is known of a program, or of a group of its subcommands whose
// name then has two words.
type program struct {
	name string
	// verb is what it does without a subcommand that is listed.
	verb memory.Verb
	// subs are its subcommands by verb, and flags what a flag makes of it.
	subs, flags []verbWords
	// script says that the word after it names a target, which says by its own
	// words what it does.
	script bool
	// valued are flags that are followed by a value.
	valued string
}

// Short names of the verbs, for the tables.
const (
	vFind     = memory.VerbFind
	vAcquire  = memory.VerbAcquire
	vBuild    = memory.VerbBuild
	vModify   = memory.VerbModify
	vDeliver  = memory.VerbDeliver
	vAnalyze  = memory.VerbAnalyze
	vSchedule = memory.VerbSchedule
	vMonitor  = memory.VerbMonitor
)

// simplePrograms are programs whose name says all.
var simplePrograms = [...]verbWords{
	{vFind, "cat less more head tail ls tree find fd grep egrep fgrep rg ag ack awk jq yq bat file which whereis man pwd env printenv strings zcat locate type stat"},
	{vAcquire, "wget unzip gunzip brew apt apt-get yum dnf apk pacman snap nix-env gem"},
	{vBuild, "gcc g++ clang clang++ cc c++ ld tsc webpack rollup esbuild vite swc cmake ninja meson bazel buck javac kotlinc rustc protoc buf " +
		"mkdir touch node deno ruby perl php java bash sh zsh mkdocs sphinx-build pandoc latexmk cp ln tar zip"},
	{vModify, "rm mv chmod chown tee patch dd truncate black isort autopep8 yapf goimports rustfmt clang-format gofumpt sponge apply_patch rmdir unlink vim vi nano kill pkill"},
	{vDeliver, "scp rsync sftp ftp mail sendmail twine"},
	{vAnalyze, "pytest jest vitest mocha ava tap rspec phpunit unittest nose tox nox ctest junit cypress playwright diff cmp wc sort uniq md5sum sha256sum staticcheck " +
		"golangci-lint shellcheck hadolint mypy pyright pylint flake8 bandit rubocop stylelint tslint semgrep gdb lldb dlv strace ltrace perf valgrind hyperfine " +
		"time du df nm objdump ldd otool bc coverage"},
	{vSchedule, "cron crontab at systemd-run"},
	{vMonitor, "ps top htop watch journalctl lsof netstat ss ping traceroute dig nslookup host uptime free vmstat iostat dmesg who sleep pgrep"},
}

// programs are those whose subcommands or flags say what they do.
var programs = [...]program{
	{name: "git", verb: vModify, valued: "-C -c", subs: []verbWords{
		{vFind, "log show blame grep ls-files ls-remote ls-tree cat-file rev-parse describe reflog shortlog"},
		{vAcquire, "clone pull fetch submodule"},
		{vBuild, "init commit tag worktree"},
		{vDeliver, "push send-email format-patch archive"},
		{vAnalyze, "diff bisect fsck"},
		{vMonitor, "status"},
	}},
	{name: "gh", verb: vFind, valued: "-R --repo", subs: []verbWords{{vFind, "api search browse"}, {vBuild, "gist"}, {vDeliver, "release"}, {vAcquire, "repo"}}},
	{name: "gh pr", verb: vFind, valued: "-R --repo", subs: []verbWords{{vBuild, "create"}, {vDeliver, "merge ready"}, {vModify, "edit close reopen"}, {vAnalyze, "diff review"}, {vMonitor, "checks status"}, {vAcquire, "checkout"}, {memory.VerbNegotiate, "comment"}, {vFind, "view list"}}},
	{name: "gh issue", verb: vFind, valued: "-R --repo", subs: []verbWords{{vBuild, "create"}, {vModify, "edit close reopen"}, {memory.VerbNegotiate, "comment"}, {vFind, "view list"}, {vMonitor, "status"}}},
	{name: "gh run", verb: vMonitor, subs: []verbWords{{vMonitor, "view watch list"}, {vBuild, "rerun"}}},
	{name: "go", verb: vBuild, valued: "-C", subs: []verbWords{
		{vAnalyze, "test vet tool bug"}, {vBuild, "build run generate install"}, {vAcquire, "get"}, {vModify, "mod fmt fix work clean"}, {vFind, "doc list env version"},
	}},
	{name: "cargo", verb: vBuild, subs: []verbWords{
		{vAnalyze, "test check clippy bench audit nextest miri"}, {vBuild, "build run new init doc"}, {vAcquire, "add install fetch"}, {vModify, "fmt fix update remove clean"}, {vDeliver, "publish"}, {vFind, "search tree metadata"},
	}},
	{name: "npm", verb: vBuild, script: true, subs: []verbWords{
		{vAnalyze, "test t audit outdated"}, {vAcquire, "install i ci add"}, {vModify, "uninstall update prune dedupe"}, {vDeliver, "publish"}, {vFind, "ls view search"}, {vBuild, "start init link"},
	}},
	{name: "npm run", verb: vBuild, script: true},
	{name: "pnpm", verb: vBuild, script: true, subs: []verbWords{{vAnalyze, "test t audit"}, {vAcquire, "install i add"}, {vModify, "remove update"}, {vDeliver, "publish"}, {vFind, "ls why"}}},
	{name: "pnpm run", verb: vBuild, script: true},
	{name: "yarn", verb: vBuild, script: true, subs: []verbWords{{vAnalyze, "test audit"}, {vAcquire, "install add"}, {vModify, "remove upgrade"}, {vDeliver, "publish"}, {vFind, "why info"}}},
	{name: "yarn run", verb: vBuild, script: true},
	{name: "bun", verb: vBuild, script: true, subs: []verbWords{{vAnalyze, "test"}, {vAcquire, "install add"}, {vModify, "remove update"}}},
	{name: "bun run", verb: vBuild, script: true},
	{name: "pip", verb: vAcquire, subs: []verbWords{{vAcquire, "install download"}, {vModify, "uninstall"}, {vFind, "list show freeze search"}, {vAnalyze, "check"}}},
	{name: "uv", verb: vAcquire, subs: []verbWords{{vAcquire, "add sync pip"}, {vModify, "remove lock"}, {vBuild, "build init venv"}, {vDeliver, "publish"}}},
	{name: "poetry", verb: vAcquire, subs: []verbWords{{vAcquire, "add install"}, {vModify, "remove update lock"}, {vBuild, "build new init"}, {vDeliver, "publish"}, {vFind, "show"}}},
	{name: "python", verb: vBuild},
	{name: "make", verb: vBuild, script: true, valued: "-C -f -j"},
	{name: "just", verb: vBuild, script: true},
	{name: "task", verb: vBuild, script: true},
	{name: "rake", verb: vBuild, script: true},
	{name: "gradle", verb: vBuild, script: true, valued: "-p"},
	{name: "gradlew", verb: vBuild, script: true, valued: "-p"},
	{name: "mvn", verb: vBuild, script: true, valued: "-f -pl"},
	{name: "dotnet", verb: vBuild, script: true},
	{name: "swift", verb: vBuild, script: true},
	{name: "mix", verb: vBuild, script: true},
	{name: "composer", verb: vAcquire, script: true, subs: []verbWords{{vAcquire, "install require"}, {vModify, "update remove"}}},
	{name: "bundle", verb: vAcquire, subs: []verbWords{{vAcquire, "install add"}, {vModify, "update remove"}}},
	{name: "docker", verb: vBuild, valued: "--context -H", subs: []verbWords{
		{vBuild, "build run create start"}, {vAcquire, "pull"}, {vDeliver, "push"}, {vMonitor, "ps logs stats top events"}, {vFind, "images inspect search"}, {vModify, "rm rmi stop kill restart prune tag exec cp"},
	}},
	{name: "docker compose", verb: vBuild, valued: "-f -p", subs: []verbWords{{vBuild, "up build run start"}, {vMonitor, "ps logs top"}, {vModify, "down stop rm restart exec"}, {vAcquire, "pull"}, {vDeliver, "push"}}},
	{name: "docker-compose", verb: vBuild, valued: "-f -p", subs: []verbWords{{vBuild, "up build run start"}, {vMonitor, "ps logs top"}, {vModify, "down stop rm restart exec"}, {vAcquire, "pull"}}},
	{name: "podman", verb: vBuild, subs: []verbWords{{vBuild, "build run"}, {vAcquire, "pull"}, {vDeliver, "push"}, {vMonitor, "ps logs"}, {vModify, "rm rmi stop"}}},
	{name: "kubectl", verb: vMonitor, valued: "-n --namespace --context --kubeconfig", subs: []verbWords{
		{vDeliver, "apply create rollout"}, {vFind, "get describe explain"}, {vMonitor, "logs top wait port-forward"}, {vModify, "delete edit patch scale set label annotate exec cp"}, {vAnalyze, "diff auth"},
	}},
	{name: "helm", verb: vDeliver, valued: "-n --namespace", subs: []verbWords{{vDeliver, "install upgrade push"}, {vModify, "uninstall rollback"}, {vFind, "list show search get"}, {vAnalyze, "lint template diff"}, {vMonitor, "status history"}, {vAcquire, "pull repo"}}},
	{name: "terraform", verb: vDeliver, subs: []verbWords{{vDeliver, "apply"}, {vAnalyze, "plan validate"}, {vModify, "destroy fmt import taint state"}, {vFind, "show output"}, {vAcquire, "init get"}}},
	{name: "tofu", verb: vDeliver, subs: []verbWords{{vDeliver, "apply"}, {vAnalyze, "plan validate"}, {vModify, "destroy fmt import state"}, {vFind, "show output"}, {vAcquire, "init"}}},
	{name: "ansible-playbook", verb: vDeliver},
	{name: "systemctl", verb: vModify, subs: []verbWords{{vMonitor, "status is-active"}, {vFind, "list-units cat show"}, {vModify, "start stop restart reload enable disable"}}},
	{name: "curl", verb: vFind, valued: "-o -H -A -u", flags: []verbWords{{vDeliver, "-d --data --data-raw --data-binary --json -F --form -T"}}},
	{name: "http", verb: vFind, subs: []verbWords{{vFind, "GET"}, {vDeliver, "POST"}, {vModify, "PUT PATCH DELETE"}}},
	{name: "sed", verb: vFind, flags: []verbWords{{vModify, "-i --in-place"}}},
	{name: "gofmt", verb: vAnalyze, flags: []verbWords{{vModify, "-w"}}},
	{name: "prettier", verb: vAnalyze, flags: []verbWords{{vModify, "--write -w"}}},
	{name: "eslint", verb: vAnalyze, flags: []verbWords{{vModify, "--fix"}}},
	{name: "biome", verb: vAnalyze, flags: []verbWords{{vModify, "--write --apply"}}},
	{name: "ruff", verb: vAnalyze, subs: []verbWords{{vModify, "format"}, {vAnalyze, "check"}}, flags: []verbWords{{vModify, "--fix"}}},
	{name: "psql", verb: vFind},
	{name: "mysql", verb: vFind},
	{name: "sqlite3", verb: vFind},
	{name: "redis-cli", verb: vFind},
	{name: "aws", verb: vFind, valued: "--profile --region", script: true},
	{name: "gcloud", verb: vFind, valued: "--project", script: true},
	{name: "az", verb: vFind, script: true},
	{name: "alembic", verb: vModify, subs: []verbWords{{vModify, "upgrade downgrade stamp"}, {vBuild, "revision"}, {vFind, "history current"}}},
	{name: "lukasa", verb: vFind, subs: []verbWords{{vBuild, "remember ingest"}, {vAnalyze, "verify prove bench"}, {vFind, "find context pack resolve recall list"}}},
}

// runner is a program that runs another one, which is the one that counts.
type runner struct {
	name, sub string
	// valued are flags that are followed by a value, number says that a number
	// may stand before the program.
	valued string
	number bool
}

// runners are the programs that run another one.
var runners = [...]runner{
	{name: "sudo", valued: "-u -g"},
	{name: "doas", valued: "-u"},
	{name: "env", valued: "-u -C"},
	{name: "time"},
	{name: "nohup"},
	{name: "exec"},
	{name: "command"},
	{name: "nice", valued: "-n", number: true},
	{name: "timeout", valued: "-k -s", number: true},
	{name: "gtimeout", valued: "-k -s", number: true},
	{name: "stdbuf"},
	{name: "xvfb-run"},
	{name: "npx", valued: "-p --package"},
	{name: "bunx"},
	{name: "uvx", valued: "--from"},
	{name: "uv", sub: "run", valued: "--with --python -p"},
	{name: "poetry", sub: "run"},
	{name: "pipenv", sub: "run"},
	{name: "pipx", sub: "run"},
	{name: "hatch", sub: "run"},
	{name: "rye", sub: "run"},
	{name: "bundle", sub: "exec"},
	{name: "npm", sub: "exec"},
	{name: "pnpm", sub: "exec"},
	{name: "pnpm", sub: "dlx"},
	{name: "yarn", sub: "exec"},
	{name: "yarn", sub: "dlx"},
	{name: "python", sub: "-m"},
	{name: "py", sub: "-m"},
}

// shellPrograms run the text behind their flag -c.
const shellPrograms = "bash sh zsh dash ksh fish pwsh powershell cmd"

// shellMatters are commands about the shell itself: where it is and what it
// knows. What comes after them is what was done.
const shellMatters = "cd pushd popd export set unset source . : true alias umask ulimit shopt eval"

// lookers are programs, and programs with a subcommand, that analyze and yet do not
// say whether the work is any good: their success is no verdict.
var lookers = [...]string{
	"diff", "cmp", "wc", "sort", "uniq", "md5sum", "sha256sum", "gdb", "lldb", "dlv", "strace", "ltrace", "perf", "hyperfine", "time", "du", "df", "nm", "objdump", "ldd",
	"otool", "bc", "test", "git diff", "git bisect", "go tool", "go bug", "gh pr diff", "gh pr review", "npm outdated", "helm template", "helm diff", "kubectl diff",
	"kubectl auth", "terraform plan", "tofu plan", "lukasa bench", "lukasa prove",
}

// onlyLooks reports whether a program, or one with its subcommand, is one of them.
func onlyLooks(name string) bool { return slices.Contains(lookers[:], name) }

var (
	programIndex = sync.OnceValue(indexPrograms)
	phraseVerbs  = indexPhrases(func(p *program) []verbWords { return p.subs })
	flagVerbs    = indexPhrases(func(p *program) []verbWords { return p.flags })
	shells       = indexWords(shellPrograms)
	matters      = indexWords(shellMatters)
)

func indexPrograms() map[string]*program {
	x := map[string]*program{}
	for _, row := range simplePrograms {
		for _, name := range strings.Fields(row.words) {
			x[name] = &program{name: name, verb: row.verb}
		}
	}
	for i := range programs {
		x[programs[i].name] = &programs[i]
	}
	return x
}

func indexPhrases(of func(*program) []verbWords) func() verbIndex {
	return sync.OnceValue(func() verbIndex {
		x := verbIndex{}
		for i := range programs {
			for _, row := range of(&programs[i]) {
				for w := range strings.FieldsSeq(row.words) {
					x[programs[i].name+" "+w] = row.verb
				}
			}
		}
		return x
	})
}

// programOf returns what is known of a program, or of a group of its subcommands.
func programOf(name string) *program { return programIndex()[name] }

func aboutShell(name string) bool { return matters()[name] }

// hasSubs reports whether the word after the program belongs to its name.
func (p *program) hasSubs() bool { return p.script || len(p.subs) > 0 }

// takesValue reports whether the word after flag w belongs to it.
func (p *program) takesValue(w string) bool { return listed(p.valued, w) }

// flag returns what flag w makes of the program: -i of sed, which may have a
// suffix, or --fix=yes.
func (p *program) flag(w string) (memory.Verb, bool) {
	if len(p.flags) == 0 || len(w) < 2 || w[0] != '-' {
		return "", false
	}
	w, _, _ = strings.Cut(w, "=")
	if v, ok := flagVerbs()[p.name+" "+w]; ok {
		return v, true
	}
	if w[1] == '-' {
		return "", false
	}
	v, ok := flagVerbs()[p.name+" "+w[:2]]
	return v, ok
}

// listed reports whether w is one of the words in list.
func listed(list, w string) bool {
	for list != "" {
		var item string
		if item, list, _ = strings.Cut(list, " "); item == w {
			return true
		}
	}
	return false
}
