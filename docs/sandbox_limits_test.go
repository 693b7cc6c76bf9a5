package docs_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/docs"
)

// The test reads the figures from the source, since they are not exported.
func TestTheABIPageStatesTheSandboxLimits(t *testing.T) {
	var code strings.Builder
	for _, file := range []string{"module/scan.go", "limits/limits.go", "engine/arena.go", "fail/fail.go"} {
		data, err := os.ReadFile("../host/sandbox/internal/" + file)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(data)
	}
	figure := func(name string) int {
		m := regexp.MustCompile(`(?m)^\s*` + name + `(?:, \w+)?\s*[:=]\s*([0-9_]+)(?: << (\d+)| \* time\.Second)?`).FindStringSubmatch(code.String())
		if m == nil {
			t.Fatalf("host/sandbox/internal has no constant %s", name)
		}
		n, err := strconv.Atoi(strings.ReplaceAll(m[1], "_", ""))
		if err != nil {
			t.Fatal(err)
		}
		shift, _ := strconv.Atoi(m[2]) // none is a shift by 0
		return n << shift
	}
	mib := func(name string) string { return fmt.Sprintf("%d MiB", figure(name)>>20) }
	count := func(name string) string { return grouped(figure(name)) }
	for _, row := range []string{
		"| the file | " + mib("MaxSize") + " |",
		"| " + mib("maxBody") + "; " + count("maxNesting") + "; " + count("maxLocals") + " |",
		"| " + count("maxFunctions") + "; " + count("maxTypes") + "; " + count("maxBranches") + ", " + count("maxBranchSum") + " |",
		"| " + count("maxTables") + "; " + count("maxTableItems") + " |",
		"returns -1 | " + mib("Memory") + " |",
		fmt.Sprintf("| %d s; %d s; %d s |", figure("Compile"), figure("Start"), figure("Call")),
		"| " + mib("Input") + "; " + mib("Output") + "; " + mib("Arena") + "; " + count("arenaHandles") + " |",
		fmt.Sprintf("| a refusal's text | %d KiB |", figure("MaxRefusalBytes")>>10),
		fmt.Sprintf("| log lines | %s bytes each, %d a second |", count("LogLine"), figure("LogRate")),
	} {
		if !strings.Contains(docs.ABI, row) {
			t.Errorf("abi.md does not contain %q", row)
		}
	}
}
