package catalogue

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/internal/flowise"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
)

// The catalogue is generated from a recorded answer, so it must have all types, each
// with its inputs.
func TestTheCatalogueMatchesTheRecordedAnswer(t *testing.T) {
	recorded, err := jsontree.Parse(flowise.Nodes())
	if err != nil {
		t.Fatal(err)
	}
	heads, err := Heads()
	if err != nil {
		t.Fatal(err)
	}
	if len(heads.Items) != len(recorded.Items) || len(heads.Items) < 300 {
		t.Fatalf("%d types, recorded are %d", len(heads.Items), len(recorded.Items))
	}
	for i, want := range recorded.Items {
		node, _, err := Node(want.Get("name").Text())
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"name", "label", "category", "description"} {
			if got := heads.Items[i].Get(key); !same(got, node.Get(key)) {
				t.Errorf("the head of %s has the %s %s", want.Get("name").Text(), key, got.Raw())
			}
		}
		for _, key := range []string{"name", "label", "version", "type", "category", "inputs", "outputs", "credential", "baseClasses", "color", "hideInput", "hideOutput", "tags", "description"} {
			if got := node.Get(key); !same(got, want.Get(key)) {
				t.Fatalf("%s of %s is %s, and was recorded as %s: go generate ./plugins/flowise/...", key, want.Get("name").Text(), got.Raw(), want.Get(key).Raw())
			}
		}
	}
	var install struct{ Dependencies map[string]string }
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "internal", "flowise", "install", "package.json"))
	if err != nil || json.Unmarshal(data, &install) != nil || install.Dependencies["flowise"] != Version {
		t.Errorf("it says %s, and what was recorded is %v (%v)", Version, install.Dependencies, err)
	}
	if len(packed) > 150_000 {
		t.Errorf("it has %d bytes", len(packed))
	}
}

func same(a, b *jsontree.Value) bool {
	var x, y any
	_ = json.Unmarshal([]byte(a.Raw()), &x) // both were parsed, or are missing
	_ = json.Unmarshal([]byte(b.Raw()), &y)
	one, _ := json.Marshal(x)
	two, _ := json.Marshal(y)
	return string(one) == string(two)
}

func TestATypeIsFoundByItsName(t *testing.T) {
	n, _, err := Node("chatOpenAI")
	if err != nil || n.Get("label").Text() != "OpenAI" {
		t.Errorf("%s %v", n.Raw(), err)
	}
	n, names, err := Node("chatOpenAy")
	if err != nil || n != nil || !slices.Contains(names, "chatOpenAI") {
		t.Errorf("%v %d %v", n, len(names), err)
	}
}

func BenchmarkNode(b *testing.B) {
	for range b.N {
		if _, _, err := Node("startAgentflow"); err != nil {
			b.Fatal(err)
		}
	}
}
