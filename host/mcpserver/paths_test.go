package mcpserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPathsAreReadAsModelsWriteThem(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, dir, false)
	t.Setenv("HOME", dir)
	t.Setenv("USERPROFILE", dir)
	if err := os.WriteFile(filepath.Join(dir, "raw%20name.list"), []byte("#list Raw\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	uri := "file://" + filepath.ToSlash(dir)
	var lines []string
	var wants []string
	add := func(a, want string) {
		lines, wants = append(lines, action(len(lines)+1, a)), append(wants, want)
	}
	add(`new "A"`, "+ new list document")
	add("save as:"+uri+"/my%20song.list", "* saved my song.list (")
	add(`save as:"file://localhost`+filepath.ToSlash(dir)+`/b.list"`, "* saved b.list (")
	add("save "+uri+"/c.list", "* saved c.list (")
	add("save file:"+filepath.ToSlash(dir)+"/d.list", "* saved d.list (")
	add("save as:~/e.list", "* saved e.list (")
	add("save as:./new%20one.list", "* saved new one.list (")
	add("export upper as:"+uri+"/u%20v.txt", "+ exported u v.txt (upper")
	add("export upper "+uri+"/w.txt", "+ exported w.txt (upper")
	add("open "+uri+"/my%20song.list", `+ opened my song.list as "my song" (list)`)
	add("open ./my%20song.list as:again", `+ opened my song.list as "again" (list)`)
	add("open path:"+uri+"/b.list", `+ opened b.list as "b" (list)`)
	add("open file:"+filepath.ToSlash(dir)+"/c.list", `+ opened c.list as "c" (list)`)
	add("open ~/e.list", `+ opened e.list as "e" (list)`)
	add("open raw%20name.list", `+ opened raw%20name.list as "raw%20name" (list)`)
	add(`save as:C:\Users\x\a.list`, `! cannot save: "C:\\Users\\x\\a.list" is a path of Windows, and fcp-host runs on `)
	add(`save "C:\new\a.list"`, `! cannot save: "C:\new\\a.list" is a path of Windows`)
	add(`export upper as:\\server\share\a.txt`, `! cannot export: "\\\\server\\share\\a.txt" is a path of Windows`)
	add(`open C:\Users\x\a.list`, `! cannot open: "C:\\Users\\x\\a.list" is a path of Windows`)
	add("open file://server/share/a.list", "! cannot open: file://server/share/a.list names a file of the computer server;")
	add("open file:///etc/hosts", "! cannot open: /etc/hosts is outside the allowed folders")
	all := talk(t, s, append([]string{initialize}, lines...)...)
	for i, want := range wants {
		if got := answer(t, all, i+1); !strings.HasPrefix(got.text(), want) || got.IsError != strings.HasPrefix(want, "!") {
			t.Errorf("%s: %q, want %q", lines[i], got.text(), want)
		}
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	if got := strings.Join(names, ","); got != "b.list,c.list,d.list,e.list,my song.list,new one.list,raw%20name.list,u v.txt,w.txt" {
		t.Errorf("the folder holds %s", got)
	}
}
