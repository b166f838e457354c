package guide

import (
	"strings"
	"sync"
)

// folded returns a word as words of rules and of actions are compared: in lower case,
// without the ending of a number or a tense, and one of several names for one thing.
func folded(word string) string { return ending(exactly(word)) }

// exactly returns a name as names of things are compared: in lower case, and one of
// several for one thing.
func exactly(name string) string {
	w := strings.ToLower(name)
	if same, ok := sameAs[w]; ok {
		return same
	}
	return w
}

// sameAs are words that stand for others.
var sameAs = map[string]string{
	"prod": "production", "prd": "production", "repo": "repository", "repos": "repository", "db": "database", "dbs": "database",
	"dir": "directory", "dirs": "directory", "folder": "directory", "folders": "directory", "pkg": "package", "deps": "dependency", "dependencies": "dependency",
	"directories": "directory", "repositories": "repository", "k8s": "kubernetes", "pr": "pullrequest", "prs": "pullrequest", "stage": "staging",
	"deletion": "delete", "deletions": "delete", "installation": "install", "cancellation": "cancel", "modification": "modify", "modifications": "modify",
	"creation": "create", "migration": "migrate", "migrations": "migrate", "execution": "execute", "deployment": "deploy", "deployments": "deploy",
	"removal": "remove", "payments": "payment", "e-mail": "email", "e-mails": "email", "mail": "email", "mails": "email", "overwritten": "overwrite",
	"ran": "run", "using": "use", "used": "use", "sent": "send", "paid": "pay", "wrote": "write", "written": "write", "db:migrate": "migrate", "pipe": "piped-into", "piping": "piped-into", "pipes": "piped-into",
}

// ending removes the ending of a plural or a tense.
func ending(w string) string {
	n := len(w)
	switch {
	case n < 4:
		return w
	case strings.HasSuffix(w, "ies"):
		return w[:n-3] + "i"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "shes"), strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "xes"):
		return w[:n-2]
	case strings.HasSuffix(w, "ing") && n >= 6 && vowelIn(w[:n-3]):
		return silent(undoubled(w[:n-3]))
	case strings.HasSuffix(w, "ed") && n >= 5 && vowelIn(w[:n-2]):
		return silent(undoubled(w[:n-2]))
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return ending(w[:n-1])
	}
	return silent(w)
}

// silent makes one ending of those that verbs lose before others.
func silent(w string) string {
	if n := len(w); n > 3 && w[n-1] == 'e' {
		return w[:n-1]
	} else if n > 3 && w[n-1] == 'y' {
		return w[:n-1] + "i"
	}
	return w
}

func undoubled(w string) string {
	if n := len(w); n > 3 && w[n-1] == w[n-2] && strings.IndexByte("bdgmnprt", w[n-1]) >= 0 {
		return w[:n-1]
	}
	return w
}

func vowelIn(w string) bool { return strings.ContainsAny(w, "aeiouy") }

// set is a set of folded words.
type set map[string]bool

func setOf(lists ...string) set {
	s := set{}
	for _, list := range lists {
		for w := range strings.FieldsSeq(list) {
			s[folded(w)] = true
		}
	}
	return s
}

// rawSet is a set of words as they are written.
func rawSet(list string) map[string]bool {
	s := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		s[w] = true
	}
	return s
}

// foldedWords is setOf, and rawWords is rawSet, for tables of the package: they are made when
// they are first asked for, since most processes check nothing.
func foldedWords(lists ...string) func() set {
	return sync.OnceValue(func() set { return setOf(lists...) })
}

func rawWords(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return rawSet(list) })
}

// fillers are words of a rule that say nothing about which action it means.
var fillers = rawWords("a an the any all some this that these those our my your their its his her to into onto in on at of for from with within inside under by via and " +
	"directly straight ever again please just simply manually anything everything something stuff things thing it them us me you we i he they be been being is are was " +
	"whole entire code changes change commands command tools tool program there here also too yourself agent agents assistant which who as do does did have has had " +
	"called named out up off hand actually really absolutely only")

// means are the verbs that say that something is used, whatever it does.
var means = foldedWords("use run call execute invoke start launch try using utilise utilize work")

// verbs are the words of rules that are taken for what is done.
var verbs = foldedWords("push deploy delete remove drop truncate erase wipe purge destroy install uninstall add commit merge rebase reset revert amend publish release ship edit modify change alter touch write overwrite " +
	"create make move rename copy read open send email post pay refund charge transfer cancel book buy purchase order sell spend withdraw kill stop start restart reboot shutdown scale rollback roll update upgrade downgrade " +
	"build test lint format run use call execute invoke launch fetch download upload pull clone checkout switch tag force sign approve grant revoke query select insert migrate seed apply provision import export share " +
	"pipe disable enable bypass skip log print store save archive close assign exceed schedule reply answer forward message notify connect ssh chmod chown prune clean discard squash cherry-pick stash exec empty rotate invite ban block")

// observable are what is done before something else and leaves a step of its own.
var observable = foldedWords("test lint linter formatter format build typecheck compile pull fetch rebase backup back plan diff status migrate commit install vet check verify validate audit scan")

// asked are words for what people say to each other, which no step shows.
var asked = foldedWords("ask asking approval approve permission consent confirm confirmation review reviewed reviewer sign-off signoff tell telling notify inform discuss agree agreement")

// good are words that say that something went well.
var good = foldedWords("pass passes passing passed green succeed succeeds succeeded success successful successfully ok clean locally first suite full complete completely")

// times are words that say when, which an action does not tell.
var times = foldedWords("monday tuesday wednesday thursday friday saturday sunday weekend weekday holiday night evening morning afternoon noon midnight today tomorrow tonight now yet christmas month week year quarter hour hours am pm daytime nighttime eod")

// manners are words that say how or by whom, which an action does not tell.
var manners = foldedWords("automatically blindly unnecessarily unattended silently alone needlessly twice often frequently immediately quickly carelessly")

// environments are names of where something runs. They are looked for inside longer
// names of machines, too.
var environments = foldedWords("production staging live prod")

// places are what a rule says it holds in, and that is where the agent works anyway.
var places = rawWords("repo repository project codebase workspace monorepo app application")

// families are programs that do the same.
var families = sync.OnceValue(func() map[string]int {
	m := map[string]int{}
	for i, list := range []string{"npm yarn pnpm bun", "pip pip3 pipenv poetry uv conda", "docker podman", "make just task", "docker-compose podman-compose", "terraform tofu", "mvn gradle", "git hg svn jj"} {
		for w := range strings.FieldsSeq(list) {
			m[w] = i + 1
		}
	}
	return m
})

// done says what programs do, in the words of rules: the verbs, and behind a bar what
// they do it to.
var done = sync.OnceValue(func() map[string][2]set {
	m := map[string][2]set{}
	for _, line := range strings.Split(doneTable, "\n") {
		phrases, words, ok := strings.Cut(line, ": ")
		if !ok {
			continue
		}
		doing, to, _ := strings.Cut(words, "|")
		for phrase := range strings.SplitSeq(phrases, ",") {
			m[strings.TrimSpace(phrase)] = [2]set{setOf(doing), setOf(to)}
		}
	}
	return m
})

// programs are names that in a rule mean the program: what is both that and a word for
// something else is none.
var programs = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for phrase := range done() {
		name, _, _ := strings.Cut(phrase, " ")
		m[name] = true
	}
	for name := range families() {
		m[name] = true
	}
	for name := range m {
		switch name {
		case "just", "task", "go", "http", "https", "service", "black", "dd":
			delete(m, name)
		}
		if verbs()[folded(name)] {
			delete(m, name)
		}
	}
	return m
})

const doneTable = `
git push: push | branch commit remote
git commit: commit | commit
git send-pack: push | branch commit remote
git rm: delete remove touch modify | file
git mv: move rename touch | file
git restore: restore | file change
git merge: merge | branch
git rebase: rebase | branch history commit
git reset: reset | commit
git revert: revert | commit
git clean: clean delete remove | file
git tag: tag | tag
git checkout, git switch: checkout switch | branch
git pull, git fetch: pull fetch | branch
git clone: clone download | repository
git stash: stash | change
git cherry-pick: cherry-pick | commit
npm install, npm i, npm add, npm ci, yarn add, yarn install, pnpm add, pnpm install, pnpm i, bun add, bun install, pip install, pip3 install, pipx install, uv add, uv pip install, poetry add, conda install, gem install, composer require, cargo add, cargo install, go get, go install: install add | package dependency library module
npm uninstall, npm remove, npm rm, yarn remove, pnpm remove, bun remove, pip uninstall, pip3 uninstall, uv remove, poetry remove, cargo remove, gem uninstall: uninstall remove delete | package dependency library module
npm update, npm upgrade, yarn upgrade, pnpm update, cargo update, poetry update, go get -u: update upgrade | package dependency library module
npm publish, yarn publish, pnpm publish, cargo publish, poetry publish, twine upload, gem push: publish release push | package library
apt install, apt-get install, brew install, yum install, dnf install, apk add, snap install, pacman -S: install add | package software
apt remove, apt-get remove, apt purge, apt-get purge, brew uninstall, yum remove, dnf remove, apk del: uninstall remove delete purge | package software
apt upgrade, apt-get upgrade, apt-get dist-upgrade, brew upgrade, yum update, dnf upgrade: upgrade update | package software system
docker push, podman push: push publish upload | image
docker pull, podman pull: pull download | image
docker build, podman build: build | image
docker rm, docker container rm, podman rm: remove delete | container
docker rmi, docker image rm: remove delete | image
docker system prune, docker system, docker volume prune, docker volume rm: prune delete remove clean | container image volume data
docker compose up, docker-compose up: start run | container service
docker compose down, docker-compose down: stop | container service
docker stop, docker kill: stop kill | container
kubectl apply, kubectl create, kubectl replace, kubectl set image: apply deploy | resource cluster kubernetes
kubectl rollout, kubectl rollout restart: restart roll deploy | cluster kubernetes
kubectl scale: scale | cluster kubernetes
kubectl delete: delete remove | resource cluster kubernetes
kubectl exec: exec run connect | pod container cluster kubernetes
helm install, helm upgrade: install upgrade deploy release | chart cluster kubernetes
helm uninstall, helm delete: uninstall delete remove | chart release cluster kubernetes
helm rollback: rollback | release cluster kubernetes
terraform apply, tofu apply, pulumi up: apply deploy provision change | infrastructure resource
terraform destroy, tofu destroy, pulumi destroy: destroy delete | infrastructure resource
terraform plan, tofu plan, pulumi preview: plan | infrastructure
vercel, vercel deploy, netlify deploy, fly deploy, flyctl deploy, firebase deploy, gcloud app deploy, gcloud run deploy, serverless deploy, sls deploy, cdk deploy, sam deploy, eb deploy, wrangler deploy, wrangler publish, heroku container:release, supabase functions deploy, skaffold run: deploy release | site service
ansible-playbook: deploy provision apply | playbook
rm, unlink, shred, del, rmdir: delete remove erase touch edit modify change alter | file directory
truncate: truncate empty edit modify change write touch overwrite | file
mv: move rename | file
cp, rsync, scp: copy write overwrite | file
chmod, chown: chmod chown change | permission file
tee: write edit modify change touch overwrite create | file
touch: create touch | file
kill, pkill, killall: kill stop | process
systemctl restart, service restart: restart | service server
systemctl stop: stop | service server
systemctl start: start | service server
systemctl disable: disable stop | service
systemctl enable: enable | service
reboot: reboot restart | server machine
shutdown: shutdown stop | server machine
curl, wget, http, https: fetch download request call | request url api
ssh: ssh connect | server
psql, mysql, sqlite3, mongosh, mongo, redis-cli: query connect | database
redis-cli flushall, redis-cli flushdb: delete wipe erase flush | database data cache
dropdb: drop delete remove | database
createdb: create | database
rails db:migrate, alembic upgrade, prisma migrate, flask db, goose up, sqlx migrate, diesel migration, dbt run, migrate up: migrate run | migrate database schema
rails db:drop, rails db:reset, prisma migrate reset: drop delete reset | database
gh pr merge, glab mr merge: merge | pullrequest branch
gh pr create, glab mr create: create open | pullrequest
gh pr close: close | pullrequest
gh release create: release publish create | release
gh repo delete: delete remove | repository
gh issue create: create open | issue
aws s3 rm, aws s3 rb: delete remove | bucket file object
aws s3 cp, aws s3 sync: upload copy | bucket file
aws ec2 terminate-instances: terminate delete destroy stop | instance server
stripe refunds create: refund | payment
stripe charges create: charge | payment
flyway migrate, liquibase update, knex migrate:latest, sequelize db:migrate, typeorm migration:run, drizzle-kit migrate, drizzle-kit push, supabase db, rake db:migrate, hasura migrate, atlas migrate, atlas schema, mix ecto.migrate: migrate run | migrate database schema
pytest, jest, vitest, mocha, rspec, ctest, phpunit, tox, nox: test | test
eslint, pylint, flake8, golangci-lint, ruff, shellcheck, clippy, cargo clippy: lint check | lint linter
prettier, gofmt, black, rustfmt, cargo fmt, go fmt: format | formatter
tsc, mypy, pyright: typecheck check compile | type
go vet: vet lint check | 
pg_dump, mysqldump: backup dump export back | database backup
crontab: schedule | cron
mkfs, fdisk: format wipe | disk
dd: copy write overwrite | disk`
