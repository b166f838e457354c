package programs

import (
	"strings"
	"sync"
)

// Deed is what a program does, in the words of rules: what is done, and what it is done to.
type Deed struct{ Verbs, Objects []string }

// Does returns what a program, or one with its subcommand, does.
func Does(phrase string) (Deed, bool) {
	d, ok := deeds()[phrase]
	return d, ok
}

// Known reports whether it is known what a program, or one with its subcommand, does.
func Known(phrase string) bool { _, ok := deeds()[phrase]; return ok }

// Phrases calls yield with each program, or program with its subcommand, of which it is known
// what it does.
func Phrases(yield func(phrase string)) {
	for phrase := range deeds() {
		yield(phrase)
	}
}

var deeds = sync.OnceValue(func() map[string]Deed {
	m := map[string]Deed{}
	for line := range strings.SplitSeq(deedTable, "\n") {
		phrases, words, ok := strings.Cut(line, ": ")
		if !ok {
			continue
		}
		verbs, objects, _ := strings.Cut(words, "|")
		d := Deed{strings.Fields(verbs), strings.Fields(objects)}
		for phrase := range strings.SplitSeq(phrases, ",") {
			m[strings.TrimSpace(phrase)] = d
		}
	}
	return m
})

// Methods returns what the methods of HTTP do, in the words of rules.
func Methods() map[string]string {
	return map[string]string{
		"GET": "get fetch read", "HEAD": "get fetch", "POST": "post create send", "PUT": "put update replace write modify change",
		"PATCH": "patch update modify change", "DELETE": "delete remove",
	}
}

// deedTable has phrases, the verbs of what they do, and behind a bar what they do it to.
const deedTable = `
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
