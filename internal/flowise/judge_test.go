package flowise

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
)

// Flowise must answer as recorded. With FCP_UPDATE set, the test records the answers again.
func TestJudgeFlowiseAnswersAsRecorded(t *testing.T) {
	r := judge.Flowise(t)
	answers, err := ask(r.URL, r.Keys, map[string]string{"credential": r.Credential, "stub": r.Model, "install": r.Install})
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("FCP_UPDATE") != "" {
		data, err := json.MarshalIndent(answers, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("testdata/answers.json", append(data, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("testdata/shipped.tar.gz", pack(t, r), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	compareAnswers(t, answers)
	if nodes := catalogue(t, r); nodes != Nodes() {
		t.Errorf("the catalogue of nodes is another one: %d bytes, recorded are %d", len(nodes), len(Nodes()))
	}
}

// catalogue returns the answer of GET nodes without the folder of its files.
func catalogue(t *testing.T, r *judge.FlowiseServer) string {
	t.Helper()
	req, err := http.NewRequest("GET", r.URL+"/api/v1/nodes", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.Keys["full"])
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(data), r.Install, "${install}")
}

// pack makes shipped.tar.gz.
func pack(t *testing.T, r *judge.FlowiseServer) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	out := tar.NewWriter(z)
	add := func(name string, data []byte) {
		if err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(data))}); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	add("nodes.json", []byte(catalogue(t, r)))
	for _, folder := range []string{"chatflows", "agentflowsv2"} {
		names, err := filepath.Glob(filepath.Join(r.Install, "node_modules", "flowise", "marketplaces", folder, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			add(folder+"/"+filepath.Base(name), data)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// compareAnswers compares answers with the recorded ones.
func compareAnswers(t *testing.T, answers map[string]Answer) {
	t.Helper()
	data, err := os.ReadFile("testdata/answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]Answer
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	for _, q := range questions {
		if got := answers[q.name]; got != want[q.name] {
			t.Errorf("%s: %s %s\n got %d %s %.1500s\nwant %d %s %.1500s", q.name, q.method, q.path, got.Status, got.Type, got.Body, want[q.name].Status, want[q.name].Type, want[q.name].Body)
		}
	}
	if len(want) != len(questions) {
		t.Errorf("%d answers are recorded of %d questions", len(want), len(questions))
	}
}
