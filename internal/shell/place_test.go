package shell

import (
	"strings"
	"testing"
)

func TestReadDir(t *testing.T) {
	t.Parallel()
	at := func(dir string) (Place, bool) {
		p, ok := map[string]Place{
			"/srv/shop/web": {Root: "/srv/shop", Branch: "topic"},
			"/srv/fix":      {Root: "/srv/shop", Branch: "main"},
			"/srv/other":    {Root: "/srv/other", Branch: "main", Aliases: map[string]string{"op": "push origin main"}},
		}[dir]
		return p, ok
	}
	for _, tc := range [][2]string{
		{"git push", "git push /srv/shop /srv/shop topic"},
		{"cd web && git push", "git push /srv/shop/web /srv/shop topic"},
		{"cd web; git checkout x; cd ..; git push", "git push /srv/shop /srv/shop x"},
		{"cd ../fix && git push", "git push /srv/fix /srv/shop main"},
		{"cd ../fix && git checkout x && git push", "git push /srv/fix /srv/shop x"},
		{"cd ../fix && git checkout x; cd ../shop; git push", "git push /srv/shop /srv/shop topic"},
		{"(cd ../other); git push", "git push /srv/shop /srv/shop topic"},
		{"cd ../other | true; git push", "git push /srv/shop /srv/shop topic"},
		{"x=$(cd ../other); git push", "git push /srv/shop /srv/shop topic"},
		{"sh -c 'cd ../other'; git push", "git push /srv/shop /srv/shop topic"},
		{"eval 'cd ../other'; git push", "git push /srv/other /srv/other main"},
		{"cd ../other && git op", "git push origin main /srv/other /srv/other main"},
		{"git -C ../other op", "git push origin main /srv/other /srv/other main"},
		{"git op", "git op /srv/shop /srv/shop topic"},
		{"git -C .. -C other push", "git push /srv/other /srv/other main"},
		{"git --git-dir=../other/.git push", "git push /srv/other /srv/other main"},
		{"git --git-dir ../other/.git --work-tree x push", "git push /srv/other /srv/other main"},
		{"GIT_DIR=/srv/other/.git git push", "git push /srv/other /srv/other main"},
		{"export GIT_DIR=/srv/other/.git; cd web; git push", "git push /srv/other /srv/other main"},
		{"env -C ../other git push", "git push /srv/other /srv/other main"},
		{"env -C ../other true; git push", "git push /srv/shop /srv/shop topic"},
		{"pushd ../other; pushd ../fix; popd; git push", "git push /srv/other /srv/other main"},
		{"pushd ../other; pushd; git push", "git push /srv/shop /srv/shop topic"},
		{"cd ../other; cd -; git push", "git push /srv/shop /srv/shop topic"},
		{"cd ../gone; git push", "git push /srv/gone /srv/shop topic"},
		{"cd $X; git push", "git push  /srv/shop topic"},
		{"cd $X; cd /srv/other; git push", "git push /srv/other /srv/other main"},
		{"cd; git push", "git push /home/ada /srv/shop topic"},
		{"cd ~/x; git push", "git push /home/ada/x /srv/shop topic"},
		{"make -C ../other push", "make -C ../other push /srv/other /srv/other main"},
		{"ssh host 'cd /srv/other; git push'", "git push /srv/other /srv/shop "},
		{"git -c remote.origin.push=HEAD:main push", "git push origin HEAD:main /srv/shop /srv/shop topic"},
	} {
		list, err := Read(tc[0], Options{Branch: "topic", Dir: "/srv/shop", Root: "/srv/shop", Home: "/home/ada", At: at})
		if err != nil || len(list) == 0 {
			t.Fatalf("%s: %v, %v", tc[0], list, err)
		}
		c := list[len(list)-1]
		if got := strings.Join(append(c.Words, c.Dir, c.Root, c.Branch), " "); got != tc[1] {
			t.Errorf("%s\n\t%s\n\twant %s", tc[0], got, tc[1])
		}
	}
	if list, err := Read("git push", Options{Dir: "/srv/shop", In: "../other", At: at}); err != nil || list[0].Branch != "main" {
		t.Errorf("in another directory: %v, %v", list, err)
	}
}

func TestReadOthers(t *testing.T) {
	t.Parallel()
	for _, tc := range [][2]string{
		{`powershell -NoProfile -Command "git push; git pull"`, "git push ;; git pull"},
		{`pwsh -c "& git push"`, "git push"},
		{`pwsh deploy.ps1`, "pwsh deploy.ps1"},
		{`powershell -ep Bypass -File a.ps1`, "powershell -ep Bypass -File a.ps1"},
		{`powershell -e RwBpAHQA`, "Git"},
		{`powershell -e no!base64`, ""},
		{`powershell -Command "Start-Process -FilePath git -ArgumentList 'push','origin'"`, "git push origin"},
		{`cmd /c git push`, "git push"},
		{`CMD.EXE /C "git push & git pull"`, "git push ;; git pull"},
		{`cmd`, "cmd"},
		{`wsl -d Debian -u me git push`, "git push"},
		{`git-push origin`, "git push origin"},
		{`git-lfs push`, "git-lfs push"},
		{`bash <(echo git push)`, "echo git push ;; git push"},
		{`env -S "git push"`, "git push"},
		{`env -iS"git push" origin`, "git push origin"},
		{`read a b <<< "x y z"; $a $b`, "read a b ;; x y z"},
		{`read a; $a`, "read a ;; $a"},
		{`echo "git push" | at now`, "echo git push ;; echo| at now ;; echo| git push"},
		{`python3 -c "import os; os.system('git push')"`, "python3 -c import os; os.system('git push') ;; git push"},
		{`python3 a.py -c "os.system('git push')"`, "python3 a.py -c os.system('git push')"},
		{"node <<E\nexecSync('git push')\nE", "node ;; git push"},
	} {
		got, err := Read(tc[0], Options{})
		if err != nil || written(got) != tc[1] {
			t.Errorf("%s\n\t%s\n\twant %s, %v", tc[0], written(got), tc[1], err)
		}
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		`os.system("git push")`:                              "git push",
		`subprocess.run(["git", "push", "a b"], check=True)`: "'git' 'push' 'a b'",
		`subprocess.run("git push", shell=True)`:             "git push",
		`cmd = ["git", "push"]; run(cmd)`:                    "'git' 'push'",
		`os.execvp("git", ["git", "push"])`:                  "'git' 'push'",
		"execSync(`git push`)":                               "git push",
		`spawn('git', ['push'], {cwd: "x", "env": y})`:       "'git' 'push' 'x'",
		`system "git", "push"`:                               "'git' 'push'",
		`run("""git push""")`:                                "git push",
		`run('it\'s')`:                                       "it's",
		`print("git push")`:                                  "",
		"# os.system('git push')":                            "",
		`x = "run"`:                                          "",
		`run(`:                                               "",
		`run("git`:                                           "git",
		`print("a"); total = system; print("b")`:             "",
		`await tools.exec_command({"cmd": "git push", "tty": false})`: "git push",
	} {
		if got := strings.Join(Calls(code), " ;; "); got != want {
			t.Errorf("%s\n\t%s\n\twant %s", code, got, want)
		}
	}
}

func FuzzCalls(f *testing.F) {
	f.Add("subprocess.run(['git', 'push'])")
	f.Add("`a` system \"b\" '''c")
	f.Fuzz(func(t *testing.T, code string) {
		if n := len(Calls(code)); n > maxCalls {
			t.Fatalf("%d calls", n)
		}
	})
}
