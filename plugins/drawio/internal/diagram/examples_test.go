package diagram

import (
	"slices"
	"testing"
)

// Every example in the manifest works as printed on a page that has the shapes it names.
func TestTheManifestsExamplesWork(t *testing.T) {
	for _, v := range Domain().Verbs {
		for _, ex := range v.Examples {
			d := newDoc(t)
			d.run("add svc AuthService", "add db UserDB", "add box A", "add box B", "add box C", "add box Worker", "add note N", "connect A -> B label:queries", "connect AuthService -> UserDB label:queries",
				"group C N as:Backend", "layer create Extra", "layer switch 1", "page add Second", "page switch 1",
				`add class Bill fields:"+ id: int"`, `add table Prices cols:Plan,Price rows:"Basic,9; Pro,29"`)
			if v.Name == "page" {
				d.run("page switch Second", "add box Z")
			}
			if slices.Contains([]string{"add", "connect", "move", "copy"}, v.Name) {
				d.run("add participant Shop", "add participant Bank", "connect Shop -> Bank label:order", "connect Bank -> Shop label:receipt", "add alt paid around:order,receipt")
			}
			if r := d.try(ex); r.Error != nil {
				t.Errorf("%s: %s", ex, r.Error.Message)
			}
		}
	}
	d := newDoc(t)
	d.run(Domain().Example...)
}
