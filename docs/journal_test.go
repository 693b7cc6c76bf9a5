package docs_test

import (
	"encoding/hex"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/fcp-host/fcp-host/host/journal"
)

func TestTheExampleJournalIsReadAsThePageSays(t *testing.T) {
	page := journalPage(t)
	_, example, _ := strings.Cut(page, "### An example")
	_, example, _ = strings.Cut(example, "```\n")
	example, _, _ = strings.Cut(example, "```")
	var data []byte
	for line := range strings.Lines(example) {
		digits, _, _ := strings.Cut(line, "   ")
		part, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(digits), " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, part...)
	}
	dir := filepath.Join(t.TempDir(), "journal")
	store, err := journal.Open(dir, journal.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "example.journal"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := store.Read("example")
	if err != nil || got.Damaged || got.Header || got.Cut != 0 || len(got.Records) != 2 {
		t.Fatalf("it is read as %+v, %v", got, err)
	}
	for i, want := range []map[string]any{{"name": "v1"}, {"n": int8(1)}} {
		var m map[string]any
		if err := msgpack.Unmarshal(got.Records[i].Data, &m); err != nil || !reflect.DeepEqual(m, want) || got.Records[i].Kind != []byte{4, 3}[i] {
			t.Errorf("record %d is %v of kind %d, %v", i, m, got.Records[i].Kind, err)
		}
	}
}

func TestTheJournalPageHasTheKeysOfAllRecords(t *testing.T) {
	page := journalPage(t)
	documented := map[string][]string{}
	of := ""
	for _, row := range regexp.MustCompile("(?m)^\\| (?:`(\\w+Record)`)? *\\| `(\\w+)` \\|").FindAllStringSubmatch(page, -1) {
		if row[1] != "" {
			of = row[1]
		}
		documented[of] = append(documented[of], row[2])
	}
	tag := regexp.MustCompile(`msgpack:"(\w+)`)
	names, err := filepath.Glob("../host/document/*.go")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	found := 0
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			typ, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			record, ok := typ.Type.(*ast.StructType)
			if !ok || !strings.HasSuffix(typ.Name.Name, "Record") {
				return true
			}
			var keys []string
			for _, f := range record.Fields.List {
				if f.Tag != nil {
					keys = append(keys, tag.FindStringSubmatch(f.Tag.Value)[1])
				}
			}
			if len(keys) == 0 {
				return true
			}
			if found++; !slices.Equal(keys, documented[typ.Name.Name]) {
				t.Errorf("%s has the keys %v, and on the page %v", typ.Name.Name, keys, documented[typ.Name.Name])
			}
			return true
		})
	}
	if found != len(documented) {
		t.Errorf("%d types of records, %d on the page", found, len(documented))
	}
}

func journalPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("journal.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}
