package programs

import (
	"strings"
	"sync"
)

// Classes of programs by what they are.
var (
	// Shells read a line of POSIX shell, or one like it, behind -c. Shapes use them.
	Shells = words(shells)
	// Modular are the interpreters that run a module behind -m. Shapes use them.
	Modular = words("python python3 py pypy pypy3")
	// Interpreters run the script that is named behind them. Shapes use them.
	Interpreters = words("python python3 py pypy pypy3 node nodejs ts-node tsx ruby perl php lua Rscript pwsh powershell " + shells)
	// Scripts are the ends of names of scripts. Shapes use them.
	Scripts = words("sh bash zsh fish py js mjs cjs ts mts rb pl php lua ps1 bat cmd r R")
	// Databases are handed SQL.
	Databases = words("psql mysql mariadb sqlite3 duckdb clickhouse-client sqlcmd bq snowsql")
	// Versioners work on branches.
	Versioners = words("git hg jj sl svn gh glab hub tea")
	// Viewers show what is in a file.
	Viewers = words("cat tac less more head tail bat nl xxd od hexdump strings base64 grep egrep fgrep rg ag ack awk sed sort cut jq yq diff source vim vi nano emacs code open xdg-open type get-content gc")
	// Transfers copy or move files: the last one that they are given is where to.
	Transfers = words("cp mv rsync scp ln install")
	// Writers change the files that they are given, whatever their flags are.
	Writers = words("patch sponge truncate shred ed ex vi vim nvim nano emacs")
	// InPlace are those that do so with -i.
	InPlace = words("sed perl gsed yq awk gawk")
	// Fetchers make requests of HTTP.
	Fetchers = words("curl wget http https")
	// SystemPackages install packages for the whole machine.
	SystemPackages = words("apt apt-get brew dnf yum apk snap pacman zypper port choco winget")
	// LocalPackages install packages for a project, or for the machine with a flag.
	LocalPackages = words("npm pnpm yarn bun pip pip3 gem composer")
	// Launchers run a program of an environment that they prepare: bundle exec, uv run.
	Launchers = words("bundle poetry uv pipenv rye hatch pdm npm pnpm yarn mise dotenvx conda mamba")
	// Containers run a command in a container.
	Containers = words("docker podman kubectl oc docker-compose nerdctl")
	// LongFlags are programs whose flags of one letter are known at length.
	LongFlags = words("git rm cp mv ln npm pnpm yarn bun")

	// ShapeAside are commands that are about the shell itself, in the shape of a step.
	ShapeAside = words("cd pushd popd export set unset source . alias true false : wait sleep echo printf clear pwd mkdir trap fi done esac for case select function return exit local read eval let declare typeset shift test [ [[ umask ulimit shopt")
	// ShapeLooks are commands, and ShapeLooksSub commands with a subcommand, that only show
	// something.
	ShapeLooks = words("ls cat head tail less more grep rg ag ack egrep fgrep zgrep find fd locate tree wc sort uniq cut awk gawk tr nl column stat file du df which whereis type date whoami id uname hostname env printenv ps top htop lsof " +
		"jq yq diff cmp md5sum sha1sum sha256sum shasum xxd hexdump strings bat basename dirname realpath readlink man tldr history tput seq expr sed dir free uptime tee")
	ShapeLooksSub = phrases("git status, git log, git diff, git show, git ls-files, git blame, git rev-parse, git describe, git reflog, git shortlog, git grep, git ls-tree, git cat-file, git rev-list, git name-rev, git merge-base, go list, go env, go doc, go version, npm ls, npm view, pip show, pip list, pip freeze, cargo tree")

	// FrameShells run the text behind their flag -c, or what Windows has for it.
	FrameShells = words(FrameShellList)
	// FrameAside are commands about the shell itself: where it is and what it knows. What comes
	// after them is what was done.
	FrameAside = words(FrameAsideList)

	// Spoken are the names that in a sentence of English mean the program: a name that is also
	// a common word is none.
	Spoken = words("git npm pnpm npx yarn bun pip pip3 uv poetry conda cargo rustup gofmt go make cmake gradle maven mvn docker podman kubectl helm terraform tofu ansible aws gcloud az psql mysql redis-cli rm mv cp chmod chown sudo curl wget ssh scp " +
		"rsync brew apt apt-get yum dnf systemctl bash zsh sh python python3 node deno tsc eslint prettier ruff black mypy pytest jest vitest gh glab vercel netlify flyctl heroku rake bundle gem composer dotnet kill killall pkill nohup tmux sed awk")
)

const shells = "bash sh zsh dash ksh fish"

// Lists of programs that the documentation of frames names.
const (
	FrameShellList = shells + " pwsh powershell cmd"
	FrameAsideList = "cd pushd popd export set unset source . : true alias umask ulimit shopt eval"
)

// Inline returns the flags before the program that an interpreter is given in the line, "*" if it
// is the first word that is no flag, and whether it is such an interpreter.
func Inline(name string) (flags string, ok bool) {
	flags, ok = inline[name]
	if !ok && len(name) > len("python3") && strings.HasPrefix(name, "python3") { // python3.12
		return "-c", true
	}
	return flags, ok
}

var inline = map[string]string{
	"python": "-c", "python2": "-c", "python3": "-c", "pypy": "-c", "pypy3": "-c", "ipython": "-c", "node": "-e --eval -p --print -pe", "nodejs": "-e --eval -p --print", "bun": "-e --eval -p --print",
	"deno": "eval", "ruby": "-e", "perl": "-e -E -ne -pe -le", "php": "-r", "lua": "-e", "tsx": "-e --eval", "osascript": "-e", "Rscript": "-e", "elixir": "-e", "julia": "-e", "tclsh": "", "groovy": "-e", "awk": "*", "gawk": "*", "mawk": "*",
}

// Family returns a number that programs have which do the same, and 0 for others.
func Family(name string) int { return families()[name] }

// InFamilies calls yield with each program that has one.
func InFamilies(yield func(name string)) {
	for name := range families() {
		yield(name)
	}
}

var families = sync.OnceValue(func() map[string]int {
	m := map[string]int{}
	for i, list := range []string{"npm yarn pnpm bun", "pip pip3 pipenv poetry uv conda", "docker podman", "make just task", "docker-compose podman-compose", "terraform tofu", "mvn gradle", "git hg svn jj"} {
		for w := range strings.FieldsSeq(list) {
			m[w] = i + 1
		}
	}
	return m
})
