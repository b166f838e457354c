package programs

import (
	"strings"
	"sync"
)

// Wrapper is a program that runs the command behind its own words.
type Wrapper struct {
	Valued Set // flags whose value is the next word
	Skip   int // words before the command that are not flags
	// Assigned says that assignments may stand before the command.
	Assigned bool
}

// Wraps returns how a program runs another one, and whether it does.
func Wraps(name string) (Wrapper, bool) {
	w, ok := wrappers()[name]
	return w, ok
}

var wrappers = sync.OnceValue(func() map[string]Wrapper {
	m := map[string]Wrapper{}
	for line := range strings.SplitSeq(wrapperTable, "\n") {
		names, flags, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		w := Wrapper{Valued: Set{}}
		for f := range strings.FieldsSeq(flags) {
			switch f {
			case "1":
				w.Skip = 1
			case "=":
				w.Assigned = true
			default:
				w.Valued[f] = true
			}
		}
		for name := range strings.FieldsSeq(names) {
			m[name] = w
		}
	}
	return m
})

// wrapperTable has the flags that take a value, the number of further words, and = for
// assignments.
const wrapperTable = `
sudo doas: -u -g -p -C -h -r -t -T -U -D -R --user --group --prompt --chdir --host --role --type --other-user --close-from --chroot --command-timeout =
env: -u -C --unset --chdir =
nohup setsid builtin unbuffer chronic:
command exec time caffeinate npx corepack bunx pnpx dbus-run-session faketime: -a -o -f -t -w -p --package --format --output
nice ionice chrt taskset: -n -c -p -t --adjustment --class --classdata --pid
stdbuf: -i -o -e --input --output --error
timeout gtimeout: 1 -s -k --signal --kill-after
flock: 1 -w -E --timeout --conflict-exit-code
strace ltrace: -e -o -p -s -u -E
xargs: -I -L -n -P -s -E -d -a --max-args --max-procs --max-lines --max-chars --delimiter --arg-file --replace
parallel: -j -a -S -N -n -L --jobs --arg-file --sshlogin --colsep --delay --timeout --joblog
direnv: 1
watch: -n --interval -q --equexit
entr: 
chroot: 1 --userspec --groups
systemd-run: -u -p -E -t --unit --property --setenv --uid --gid --slice --description
dotenv doppler op: -f -e --env-file -p -c --project --config
`

// ShapeWrappers are the programs that run another one in the shape of a step, and ShapeValued the
// flags of theirs that take a value.
var (
	ShapeWrappers = words("sudo doas env nohup time command exec nice ionice stdbuf setsid xargs timeout gtimeout watch caffeinate npx bunx uvx builtin unbuffer chronic dotenv cross-env")
	ShapeValued   = words("-u -g -n -s -k -I -P -L -c -p --user --signal --preserve-env --interval --package --kill-after")
)

// FrameWrapper is a program that runs another one, which is the one whose verb a frame has.
type FrameWrapper struct {
	Name, Sub string
	// valued are flags that are followed by a value. Number says that a number may stand before
	// the program.
	valued string
	Number bool
}

// TakesValue reports whether the word after a flag belongs to it.
func (w *FrameWrapper) TakesValue(flag string) bool { return listed(w.valued, flag) }

// FrameWrappers returns the programs that run another one.
func FrameWrappers() []FrameWrapper { return frameWrappers[:] }

var frameWrappers = [...]FrameWrapper{
	{Name: "sudo", valued: "-u -g"},
	{Name: "doas", valued: "-u"},
	{Name: "env", valued: "-u -C"},
	{Name: "time"},
	{Name: "nohup"},
	{Name: "exec"},
	{Name: "command"},
	{Name: "nice", valued: "-n", Number: true},
	{Name: "timeout", valued: "-k -s", Number: true},
	{Name: "gtimeout", valued: "-k -s", Number: true},
	{Name: "stdbuf"},
	{Name: "xvfb-run"},
	{Name: "npx", valued: "-p --package"},
	{Name: "bunx"},
	{Name: "uvx", valued: "--from"},
	{Name: "uv", Sub: "run", valued: "--with --python -p"},
	{Name: "poetry", Sub: "run"},
	{Name: "pipenv", Sub: "run"},
	{Name: "pipx", Sub: "run"},
	{Name: "hatch", Sub: "run"},
	{Name: "rye", Sub: "run"},
	{Name: "bundle", Sub: "exec"},
	{Name: "npm", Sub: "exec"},
	{Name: "pnpm", Sub: "exec"},
	{Name: "pnpm", Sub: "dlx"},
	{Name: "yarn", Sub: "exec"},
	{Name: "yarn", Sub: "dlx"},
	{Name: "python", Sub: "-m"},
	{Name: "py", Sub: "-m"},
}

// DirFlags returns the flags by which a program is given another directory to work in.
func DirFlags(name string) []string { return dirFlags[name] }

var dirFlags = map[string][]string{
	"env": {"-C", "--chdir"}, "sudo": {"-D", "--chdir"}, "make": {"-C", "--directory"}, "gmake": {"-C", "--directory"}, "ninja": {"-C"}, "go": {"-C"},
	"pnpm": {"-C", "--dir"}, "yarn": {"--cwd"}, "npm": {"--prefix"}, "terraform": {"-chdir"}, "tofu": {"-chdir"}, "wsl": {"--cd"}, "uv": {"--directory"}, "poetry": {"-C", "--directory"},
}
