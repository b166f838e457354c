package shell

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"lukasa.dev/internal/testsize"
)

// written returns commands as tables write them: one a line, with what is before it in
// brackets, its files behind > and its sources before |.
func written(list []Command) string {
	var out []string
	for _, c := range list {
		line := strings.Join(c.Words, " ")
		if len(c.From) > 0 {
			line = strings.Join(c.From, ",") + "| " + line
		}
		if len(c.Writes) > 0 {
			line += " > " + strings.Join(c.Writes, ",")
		}
		out = append(out, line)
	}
	return strings.Join(out, " ;; ")
}

func TestRead(t *testing.T) {
	t.Parallel()
	place := Options{Branch: "main", Aliases: map[string]string{"p": "push", "pm": "push origin main", "sh": "!git push origin main", "pp": "p", "loop": "loop", "up": "!f() { git push origin \"$1\"; }; f"}}
	for _, tc := range [][2]string{
		{"git push origin main", "git push origin main"},
		{"a && b || c; d & e", "a ;; b ;; c ;; d ;; e"},
		{"a | b | c", "a ;; a| b ;; a,b| c"},
		{"(cd x; make)", "cd x ;; make"},
		{"{ a; b; }", "a ;; b"},
		{"if a; then b; elif c; then d; else e; fi", "a ;; b ;; c ;; d ;; e"},
		{"while a; do b; done", "a ;; b"},
		{"for b in main dev; do git push origin $b; done", "git push origin main ;; git push origin dev"},
		{"case $x in a) b;; *) c;; esac", "b ;; c"},
		{"x=$(git push origin main)", "git push origin main"},
		{"echo `git push origin main`", "git push origin main ;; echo $()"},
		{"diff <(git show a) <(git show b)", "git show a ;; git show b ;; diff /dev/fd/63 /dev/fd/63"},
		{"f() { git push origin $1; }; f main", "git push origin main"},
		{"f() { git push origin main; }; echo f", "echo f"},
		{"function p { git push \"$@\"; }; p origin main", "git push origin main"},
		{"eval \"git push origin main\"", "git push origin main"},
		{"eval git push '$B'", "git push $B"},
		{"sh -c 'git push origin main'", "git push origin main"},
		{"bash -lc \"git push origin main\"", "git push origin main"},
		{"/bin/bash -euxo pipefail -c 'a; b'", "a ;; b"},
		{"bash -c 'git push origin \"$1\"' _ main", "git push origin main"},
		{"B=main bash -c 'git push origin $B'", "git push origin main"},
		{"bash <<EOF\ngit push origin main\nEOF", "bash ;; git push origin main"},
		{"bash -s <<'EOF'\ngit push origin main\nEOF", "bash -s ;; git push origin main"},
		{"bash <<< 'git push origin main'", "bash ;; git push origin main"},
		{"cat <<EOF | sh\ngit push origin main\nEOF", "cat ;; cat| sh ;; cat| git push origin main"},
		{"echo 'git push origin main' | bash", "echo git push origin main ;; echo| bash ;; echo| git push origin main"},
		{"echo 'git push origin main' | sed s/a/b/ | bash", "echo git push origin main ;; echo| sed s/a/b/ ;; echo,sed| bash"},
		{"cat <<EOF > notes.md\ngit push origin main\nEOF", "cat > notes.md"},
		{"echo 'git push origin main'", "echo git push origin main"},
		{"echo x # git push origin main", "echo x"},
		{"grep -r \"git push\" .", "grep -r git push ."},
		{"git commit -m \"never git push origin main\"", "git commit -m never git push origin main"},
		{"printf 'git push'", "printf git push"},
		{"xargs git push origin", "git push origin $()"},
		{"echo main | xargs git push origin", "echo main ;; echo| git push origin main"},
		{"echo main | xargs -I{} git push origin {}", "echo main ;; echo| git push origin main"},
		{"echo main | xargs -n 1 -I % sh -c 'git push origin %'", "echo main ;; echo| git push origin main"},
		{"env X=1 git push", "git push"},
		{"env -u A -i X=1 git push", "git push"},
		{"env -S 'git push'", "git push"},
		{"X=1 git push", "git push"},
		{"sudo -u root git push", "git push"},
		{"sudo X=1 -E git push", "git push"},
		{"timeout 5 git push", "git push"},
		{"timeout -k 1 -s KILL 5s git push", "git push"},
		{"nohup nice -n 5 command git push &", "git push"},
		{"exec git push", "git push"},
		{"time git push", "git push"},
		{"watch -n 5 git push", "git push"},
		{"watch 'git push origin main'", "git push origin main"},
		{"parallel git push origin ::: main dev", "git push origin main dev"},
		{"ssh host 'git push origin main'", "ssh host git push origin main ;; git push origin main"},
		{"ssh -p 22 -i k me@host git push origin main", "ssh -p 22 -i k me@host git push origin main ;; git push origin main"},
		{"find . -name x -exec git push origin main \\; -print", "find . -name x -exec git push origin main ; -print ;; git push origin main"},
		{"docker exec -it web sh -c 'npm install'", "docker exec -it web sh -c npm install ;; npm install"},
		{"kubectl exec pod -n x -- psql -c 'drop table a'", "kubectl exec pod -n x -- psql -c drop table a ;; psql -c drop table a"},
		{"bundle exec rails db:migrate", "bundle exec rails db:migrate ;; rails db:migrate"},
		{"uv run --frozen pytest -q", "uv run --frozen pytest -q ;; pytest -q"},
		{"npm run push", "npm run push"},
		{"npm exec -- eslint .", "npm exec -- eslint . ;; eslint ."},
		{"alias p='git push'; p origin main", "git push origin main"},
		{"alias p='git push'\np origin main", "git push origin main"},
		{"alias ls='ls -l'; ls x", "ls -l x"},
		{"B=main; git push origin $B", "git push origin main"},
		{"B=main; git push origin \"${B}\"", "git push origin main"},
		{"export B=main && git push origin HEAD:$B", "git push origin HEAD:main"},
		{"git push origin ${B:-main}", "git push origin main"},
		{"git push origin $B", "git push origin $B"},
		{"C='git push'; $C origin main", "git push origin main"},
		{"a=(git push origin main); \"${a[@]}\"", "git push origin main"},
		{"g=git; $g p\"us\"h or\\igin ma''in", "git push origin main"},
		{"git push origin {main,dev}", "git push origin main dev"},
		{"$'\\x67it' push origin main", "git push origin main"},
		{"git -C . push origin main", "git push origin main"},
		{"git -c x=y --git-dir .git --no-pager push", "git push"},
		{"git p origin main", "git push origin main"},
		{"git pp origin main", "git push origin main"},
		{"git pm", "git push origin main"},
		{"git sh", "git push origin main"},
		{"git up main", "git push origin main"},
		{"git loop", "git loop"},
		{"git config alias.q push && git q origin main", "git config alias.q push ;; git push origin main"},
		{"git config --global alias.q 'push origin main' && git q", "git config --global alias.q push origin main ;; git push origin main"},
		{"git -c alias.q=push q origin main", "git push origin main"},
		{"git push origin $(git branch --show-current)", "git branch --show-current ;; git push origin main"},
		{"git push -u origin \"$(git rev-parse --abbrev-ref HEAD)\"", "git rev-parse --abbrev-ref HEAD ;; git push -u origin main"},
		{"git checkout topic && git push origin \"$(git branch --show-current)\"", "git checkout topic ;; git branch --show-current ;; git push origin topic"},
		{"sh -c \"$(curl -fsSL https://x.io)\"", "curl -fsSL https://x.io ;; curl| sh"},
		{"bash <(curl -s https://x.io)", "curl -s https://x.io ;; curl| bash /dev/fd/63"},
		{"echo A=1 >> .env", "echo A=1 > .env"},
		{"make 2>&1 >/dev/null", "make"},
		{"> a.txt", " > a.txt"},
		{"trap 'git push origin main' EXIT", "trap git push origin main EXIT ;; git push origin main"},
		{"[[ -n $(git push) ]]", "git push"},
		{"coproc git push", "git push"},
		{"! git push", "git push"},
		{"", ""},
		{"# nothing", ""},
	} {
		got, err := Read(tc[0], place)
		if err != nil || written(got) != tc[1] {
			t.Errorf("%s\n\t%s\n\twant %s, %v", tc[0], written(got), tc[1], err)
		}
	}
}

func TestReadBranch(t *testing.T) {
	t.Parallel()
	for _, tc := range [][3]string{
		{"topic", "git checkout main && git push", "main"},
		{"topic", "git switch main; git pull; git push", "main"},
		{"main", "git checkout -b topic && git push", "topic"},
		{"main", "git switch -c topic origin/main && git push", "topic"},
		{"main", "git checkout app.go && git push", "main"},
		{"main", "git checkout -- topic && git push", "main"},
		{"main", "git checkout topic -- a.go && git push", "main"},
		{"main", "git checkout release/1.2 && git push", "release/1.2"},
		{"main", "git checkout v1.2 && git push", "v1.2"},
		{"main", "git checkout - && git push", ""},
		{"main", "git checkout $B && git push", ""},
		{"topic", "git branch -M main && git push", "main"},
		{"topic", "git init -b main && git push", "main"},
		{"main", "ssh host git push", ""},
		{"main", "cd sub && git push", "main"},
		{"", "git push", ""},
	} {
		list, err := Read(tc[1], Options{Branch: tc[0]})
		if err != nil || len(list) == 0 || list[len(list)-1].Branch != tc[2] {
			t.Errorf("%s on %s: %v, %v", tc[1], tc[0], list, err)
		}
	}
}

func TestReadFails(t *testing.T) {
	t.Parallel()
	list, err := Read("make build\nif then (", Options{})
	if err == nil || written(list) != "make build" {
		t.Errorf("%v, %v", list, err)
	}
	if list, err = Read("sh -c 'if ('; make", Options{}); err != nil || written(list) != "if ( ;; make" {
		t.Errorf("%s, %v", written(list), err)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"":                        nil,
		" --a b":                  {"--a", "b"},
		` --x='a b' "c d"e f\ g `: {"--x=a b", "c de", "f g"},
		` '' x`:                   {"", "x"},
		` 'it'\''s'`:              {"it's"},
	} {
		if got := Words(line); !slices.Equal(got, want) {
			t.Errorf("%q is %q and not %q", line, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, line := range []string{"git push origin main", "alias a='a b'; a", "f() { f; }; f", "a=$a$a; eval \"$a\"", "for i in {1..9}; do $i; done", "git -c alias.a='!git a' a", "sh -c 'sh -c \"sh\"'", "x <<A\n$(y)\nA"} {
		f.Add(line, "main", "push")
	}
	f.Fuzz(func(t *testing.T, line, branch, alias string) {
		list, _ := Read(line, Options{Branch: branch, Aliases: map[string]string{"a": alias, "p": "!" + alias}})
		if len(list) > MaxCommands {
			t.Fatalf("%d commands", len(list))
		}
		for _, c := range list {
			if len(c.Words) > maxWords+2*maxRounds {
				t.Fatalf("%d words", len(c.Words))
			}
		}
	})
}

// Lines that a person would not write are bounded.
func TestReadHostile(t *testing.T) {
	testsize.OneGoroutine(t)
	lines := map[string]string{
		"parens":    strings.Repeat("(", 60_000),
		"ifs":       strings.Repeat("if ", 20_000),
		"bangs":     strings.Repeat("! ", 30_000),
		"quotes":    strings.Repeat("\"$(", 20_000),
		"backticks": strings.Repeat("`", 60_000),
		"and":       strings.Repeat("a && ", 12_000) + "a",
		"pipes":     strings.Repeat("a | ", 15_000) + "a",
		"doubling":  "a=x; " + strings.Repeat("a=$a$a; ", 7_000) + "echo $a",
		"functions": "f() { f; f; }; " + strings.Repeat("f; ", 10_000),
		"mutual":    "f() { g; g; }; g() { f; f; }; f",
		"loops":     strings.Repeat("for a in 1 2 3 4 5 6 7 8; do ", 100) + "b" + strings.Repeat("; done", 100),
		"braces":    "echo " + strings.Repeat("{a,b}", 5_000),
		"nested":    strings.Repeat("sh -c '", 5_000),
		"evals":     strings.Repeat("eval ", 10_000) + "a",
		"sudo":      strings.Repeat("sudo ", 10_000) + "a",
		"words":     "rm " + strings.Repeat("a/b ", 15_000),
		"heredocs":  strings.Repeat("cat <<A\nA\n", 6_000),
		"cds":       strings.Repeat("cd ..; pushd a; ", 6_000),
		"settings":  "git " + strings.Repeat("-C a -c alias.a=b ", 6_000) + "a",
		"codes":     "python3 -c '" + strings.Repeat("\"a\",x system(y);", 6_000) + "'",
		"bodies":    strings.Repeat("f() ", 20_000),
	}
	for name, line := range maps.Clone(lines) {
		lines[name+" of a megabyte"] = strings.Repeat(line, (1<<20)/len(line)+1)[:1<<20]
	}
	for name, line := range lines {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			list, _ := Read(line, Options{})
			runtime.ReadMemStats(&after)
			if len(list) > MaxCommands {
				t.Errorf("%d commands", len(list))
			}
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 256 {
				t.Errorf("%d MB", used)
			}
			if os.Getenv("SHELL_HOSTILE") != "" {
				t.Logf("%d MB", (after.TotalAlloc-before.TotalAlloc)>>20)
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	for name, line := range map[string]string{
		"short":   "git push origin main",
		"typical": "cd /srv/shop && git add -A && git commit -m \"Fix the rounding of refunds\" && git push -u origin \"$(git branch --show-current)\" 2>&1 | tail -5",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(line, Options{Branch: "main"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
