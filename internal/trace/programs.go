package trace

import (
	"strings"
	"sync"
)

// subcommands says of programs how many words behind their name say what they do.
// What is not listed has none.
var subcommands = sync.OnceValue(func() map[string]int {
	deep := map[string]int{}
	for n, list := range [...]string{
		1: "git go cargo npm yarn pnpm bun deno pip pip3 pipx uv poetry conda mamba brew apt apt-get dnf yum apk pacman snap systemctl service make just task rake gradle gradlew mvn mvnw " +
			"dotnet terraform tofu pulumi helm ansible vagrant heroku fly flyctl vercel netlify supabase firebase alembic flask rails mix rebar3 stack cabal gem bundle composer artisan " +
			"rustup nvm pyenv rbenv tmux crontab journalctl openssl redis-cli docker-compose podman-compose skaffold kind minikube eksctl hg svn jj dbt prisma sqlx diesel goose migrate buf protoc",
		2: "gh glab aws gcloud az kubectl oc docker podman doctl stripe",
	} {
		for w := range strings.FieldsSeq(list) {
			deep[w] = n
		}
	}
	for _, phrase := range [...]string{"npm run", "yarn run", "pnpm run", "bun run", "go mod", "go tool", "go work", "git remote", "git stash", "git submodule", "git worktree", "cargo xtask",
		"poetry run", "uv run", "uv pip", "bundle exec", "terraform state", "terraform workspace", "helm repo", "composer run", "deno task", "pnpm exec", "npm exec"} {
		deep[phrase] = 2
	}
	return deep
})

// wrappers run the command behind them; those of valued take a value with these flags.
var (
	wrappers = indexWords("sudo doas env nohup time command exec nice ionice stdbuf setsid xargs timeout watch caffeinate npx bunx")
	valued   = indexWords("-u -g -n -s -k -I -P -L -c --user --signal --preserve-env --interval")
	// aboutShell are commands that are about the shell itself.
	aboutShell = indexWords("cd pushd popd export set unset source . alias true : wait sleep echo printf clear pwd mkdir trap")
	shells     = indexWords("sh bash zsh dash fish ksh")
	modular    = indexWords("python python3 py pypy pypy3")
)

// runners are the words in the names of tools that run command lines.
var runners = indexWords("bash shell sh zsh exec execute terminal command cmd run powershell console process")

// tests are the beginnings of the shapes of commands that run tests.
var tests = [...]string{
	"go test", "pytest", "python -m pytest", "python3 -m pytest", "python -m unittest", "python3 -m unittest", "cargo test", "cargo nextest", "npm test", "npm run test", "yarn test", "yarn run test",
	"pnpm test", "pnpm run test", "bun test", "deno test", "make test", "make check", "just test", "mvn test", "mvnw test", "mvn verify", "gradle test", "gradlew test", "jest", "vitest", "mocha", "tox", "nox",
	"rspec", "bundle exec rspec", "ctest", "dotnet test", "mix test", "swift test", "flutter test", "phpunit", "composer test", "rails test", "playwright test", "cypress run", "uv run pytest", "poetry run pytest",
}

// runsTests reports whether the shape of a command is that of a run of tests.
func runsTests(shape string) bool {
	for _, t := range tests {
		if len(shape) >= len(t) && shape[:len(t)] == t && (len(shape) == len(t) || shape[len(t)] == ' ' || shape[len(t)] == ':') {
			return true
		}
	}
	return false
}
