package programs

import (
	"strings"
	"sync"
)

// Depth returns how many words behind a program, or behind a program with its subcommand, say
// what it does. Of a phrase of several words it counts those of the phrase, too.
func Depth(phrase string) int { return depths()[phrase] }

// depths says of programs how many words behind their name say what they do.
// What is not listed has none.
var depths = sync.OnceValue(func() map[string]int {
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
		"npm run, yarn run, pnpm run, bun run, mise run, moon run, task run, go mod, go tool, go work, git remote, git stash, git submodule, git worktree, git bisect, git config, git flow, git lfs, cargo xtask, uv pip, uv tool, terraform state, terraform workspace",
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
	for phrase := range Carriers() {
		deep[phrase] = 2
	}
	return deep
})

// Carriers are phrases behind which another command stands, which runs in a prepared
// environment.
var Carriers = phrases("uv run, poetry run, pdm run, hatch run, rye run, pipenv run, pipx run, bundle exec, pnpm exec, pnpm dlx, npm exec, yarn exec, yarn dlx, conda run, mise exec, direnv exec, dotnet exec, docker-compose exec")

// General reports whether a flag of a program stands before what it does and has a value.
func General(phrase, flag string) bool { return general()[phrase+" "+flag] }

// general are the flags of programs that stand before what they do and have a value.
var general = sync.OnceValue(func() Set {
	out := Set{}
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

// WordRoles returns what the words behind a command are, in their order, as slots of a shape. All
// that follow are of the last role.
func WordRoles(phrase string) []string { return wordRoles()[phrase] }

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

// FlagRole returns what the value of a flag is that names something, as the slot of a shape;
// empty if it is none of these.
func FlagRole(flag string) string { return flagRoles()[flag] }

var flagRoles = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for pair := range strings.SplitSeq("-run <name>, -bench <name>, -fuzz <name>, -k <name>, -t <name>, --grep <name>, --testNamePattern <name>, -m <text>, --message <text>, -C <path>", ", ") {
		name, role, _ := strings.Cut(pair, " ")
		out[name] = role
	}
	return out
})

// tests are the beginnings of the shapes of commands that run tests.
var tests = [...]string{
	"go test", "pytest", "python -m pytest", "python3 -m pytest", "python -m unittest", "python3 -m unittest", "cargo test", "cargo nextest", "npm test", "npm run test", "yarn test", "yarn run test",
	"pnpm test", "pnpm run test", "bun test", "deno test", "make test", "make check", "just test", "mvn test", "mvnw test", "mvn verify", "gradle test", "gradlew test", "jest", "vitest", "mocha", "tox", "nox",
	"rspec", "bundle exec rspec", "ctest", "dotnet test", "mix test", "swift test", "flutter test", "phpunit", "composer test", "rails test", "playwright test", "cypress run", "uv run pytest", "poetry run pytest",
}

// RunsTests reports whether the shape of a command is that of a run of tests.
func RunsTests(shape string) bool {
	for _, t := range tests {
		if len(shape) >= len(t) && shape[:len(t)] == t && (len(shape) == len(t) || shape[len(t)] == ' ' || shape[len(t)] == ':') {
			return true
		}
	}
	return false
}
