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
		1: "git go cargo npm yarn pnpm bun deno pip pip3 pipx uv poetry pdm hatch rye pipenv conda mamba brew apt apt-get dnf yum apk pacman snap port choco winget systemctl service launchctl make gmake just task rake " +
			"gradle gradlew mvn mvnw sbt lein bazel bazelisk buck2 nx turbo lerna rush moon dotnet terraform tofu terragrunt pulumi cdk sam serverless helm kustomize ansible vagrant packer heroku fly flyctl vercel netlify " +
			"wrangler supabase firebase railway render alembic flask rails rspec-rails mix rebar3 stack cabal gem bundle composer artisan manage.py django-admin rustup nvm fnm volta asdf mise pyenv rbenv tmux crontab journalctl " +
			"openssl redis-cli docker-compose podman-compose docker podman nerdctl kubectl oc k9s skaffold kind k3d minikube eksctl hg svn jj dbt prisma drizzle-kit sqlx diesel goose migrate atlas flyway liquibase buf protoc " +
			"playwright cypress storybook ng vue expo eas flutter dart swift xcodebuild pod fastlane adb next nuxt astro vite webpack electron-builder changeset semantic-release pre-commit nix nix-env direnv opam dune zig nimble " +
			"argocd flux istioctl vault consul nomad linkerd crossplane ollama huggingface-cli wandb dvc mlflow airflow dagster prefect celery scrapy claude codex gemini opencode",
		2: "gh glab aws gcloud az doctl stripe linode-cli oci ibmcloud",
	} {
		for w := range strings.FieldsSeq(list) {
			deep[w] = n
		}
	}
	for _, phrases := range [...]string{
		"npm run, yarn run, pnpm run, bun run, mise run, moon run, rushx run, task run, poe run, go mod, go tool, go work, git remote, git stash, git submodule, git worktree, git bisect, git config, git flow, git lfs, cargo xtask, uv pip, uv tool, terraform state, terraform workspace",
		"helm repo, composer run, deno task, dotnet ef, dotnet tool, mix deps, conda env, nx run, turbo run, lerna run, yarn workspace, pre-commit run, prisma migrate, prisma db, supabase db, supabase functions, firebase emulators",
		"docker compose, docker image, docker container, docker volume, docker network, docker system, docker buildx, docker builder, docker context, docker manifest, docker swarm, docker stack, docker service, docker secret",
		"podman compose, podman image, podman container, podman volume, podman network, podman system, podman pod, podman machine",
		"kubectl get, kubectl describe, kubectl delete, kubectl create, kubectl rollout, kubectl config, kubectl scale, kubectl edit, kubectl set, kubectl top, kubectl expose, kubectl patch, kubectl label, kubectl annotate",
		"oc get, oc describe, oc delete, oc create, oc rollout, nix flake, nix develop, celery worker, airflow dags, stack exec, bundle config, rails db, flutter pub, dart pub, cargo nextest, fly secrets, fly deploy",
	} {
		for phrase := range strings.SplitSeq(phrases, ", ") {
			deep[phrase] = 2
		}
	}
	for phrase := range carriers() {
		deep[phrase] = 2
	}
	return deep
})

// carriers are phrases behind which another command stands, which runs in a prepared
// environment.
var carriers = indexPhrases("uv run, poetry run, pdm run, hatch run, rye run, pipenv run, pipx run, bundle exec, pnpm exec, pnpm dlx, npm exec, yarn exec, yarn dlx, conda run, mise exec, direnv exec, dotnet exec, docker-compose exec")

// general are the flags of programs that stand before what they do and have a value.
var general = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for program, flags := range map[string]string{
		"git": "-C -c --git-dir --work-tree --namespace --exec-path", "go": "-C", "make": "-C -f -I --directory --file --makefile", "gmake": "-C -f",
		"npm": "--prefix -C -w --workspace", "pnpm": "-C --dir --filter -F", "yarn": "--cwd", "bun": "--cwd", "cargo": "--manifest-path -Z --config",
		"docker": "--context -H --host --config -l", "docker compose": "-f --file -p --project-name --profile --env-file --project-directory",
		"docker-compose": "-f --file -p --project-name --profile --env-file --project-directory", "podman": "--url --connection -c",
		"kubectl": "-n --namespace --context --cluster --kubeconfig -s --server --user", "oc": "-n --namespace --context --kubeconfig", "helm": "-n --namespace --kube-context --kubeconfig",
		"gh": "-R --repo", "glab": "-R --repo", "aws": "--profile --region --output --endpoint-url", "gcloud": "--project --account --configuration", "az": "--subscription",
		"uv": "--directory --project", "uv run": "--with --extra --group --package --python -p", "poetry": "-C --directory -P --project", "conda run": "-n --name -p", "composer": "-d --working-dir",
		"mvn": "-f -pl -P -s", "mvnw": "-f -pl -P -s", "gradle": "-p -b --project-dir", "gradlew": "-p -b --project-dir", "just": "-f -d --justfile --working-directory", "task": "-d -t --dir --taskfile",
		"terraform": "-chdir", "flutter": "-d", "jj": "-R --repository", "hg": "-R --cwd", "systemctl": "-H -M",
	} {
		for flag := range strings.FieldsSeq(flags) {
			out[program+" "+flag] = true
		}
	}
	return out
})

// wordRoles are what the words behind a command are, in their order. All that follow are
// of the last role.
var wordRoles = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for roles, phrases := range map[string]string{
		"<remote> <branch>": "git push, git pull, git fetch, git ls-remote",
		"<branch>":          "git switch, git branch, git merge, git rebase",
		"<ref>":             "git checkout, git cherry-pick, git revert",
		"<tag>":             "git tag",
		"<url> <path>":      "git clone",
		"<path>":            "git add, git rm, git mv, git restore, go build, go test, go vet, go run",
		"<package>": "npm install, npm i, npm add, npm uninstall, pnpm add, pnpm install, pnpm remove, yarn add, yarn remove, bun add, pip install, pip3 install, pip uninstall, uv add, uv remove, uv pip install, poetry add, pipx install, " +
			"go get, go install, cargo add, cargo install, brew install, apt install, apt-get install, apk add, dnf install, yum install, gem install, composer require, conda install, dotnet add",
		"<image>":     "docker run, docker pull, docker push, podman run, podman pull, podman push",
		"<container>": "docker logs, docker stop, docker start, docker restart, docker rm, docker kill, docker inspect",
		"<service>":   "docker compose up, docker compose logs, docker compose restart, docker compose build, docker compose stop, systemctl start, systemctl stop, systemctl restart, systemctl status",
	} {
		for phrase := range strings.SplitSeq(phrases, ", ") {
			out[phrase] = strings.Fields(roles)
		}
	}
	return out
})

// flagRoles are what the values of flags are that name something.
var flagRoles = indexPairs("-run <name>, -bench <name>, -fuzz <name>, -k <name>, -t <name>, --grep <name>, --testNamePattern <name>, -m <text>, --message <text>, -C <path>")

// wrappers run the command behind them; those of valued take a value with these flags.
var (
	wrappers = indexWords("sudo doas env nohup time command exec nice ionice stdbuf setsid xargs timeout gtimeout watch caffeinate npx bunx uvx builtin unbuffer chronic dotenv cross-env")
	valued   = indexWords("-u -g -n -s -k -I -P -L -c -p --user --signal --preserve-env --interval --package --kill-after")
	// aboutShell are commands that are about the shell itself.
	aboutShell = indexWords("cd pushd popd export set unset source . alias true false : wait sleep echo printf clear pwd mkdir trap fi done esac for case select function return exit local read eval let declare typeset shift test [ [[ umask ulimit shopt")
	shells     = indexWords("sh bash zsh dash fish ksh")
	modular    = indexWords("python python3 py pypy pypy3")
	// interpreters run the script that is named behind them.
	interpreters = indexWords("python python3 py pypy pypy3 node nodejs ts-node tsx ruby perl php lua Rscript pwsh powershell sh bash zsh dash fish ksh")
	// scripts are the ends of names of scripts.
	scripts = indexWords("sh bash zsh fish py js mjs cjs ts mts rb pl php lua ps1 bat cmd r R")
	// looking are commands that only show something.
	looking = indexWords("ls cat head tail less more grep rg ag ack egrep fgrep zgrep find fd locate tree wc sort uniq cut awk gawk tr nl column stat file du df which whereis type date whoami id uname hostname env printenv ps top htop lsof " +
		"jq yq diff cmp md5sum sha1sum sha256sum shasum xxd hexdump strings bat basename dirname realpath readlink man tldr history tput seq expr sed dir free uptime tee")
	lookingSub = indexPhrases("git status, git log, git diff, git show, git ls-files, git blame, git rev-parse, git describe, git reflog, git shortlog, git grep, git ls-tree, git cat-file, git rev-list, git name-rev, git merge-base, go list, go env, go doc, go version, npm ls, npm view, pip show, pip list, pip freeze, cargo tree")
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
