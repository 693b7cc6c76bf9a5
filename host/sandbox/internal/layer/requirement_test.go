package layer

import (
	"slices"
	"strings"
	"testing"
)

func TestRequirementsNameTheMissingLayers(t *testing.T) {
	layers := func(off ...string) (list []Layer) {
		for _, name := range []string{"limits", "namespaces", "root", "capabilities", "no_new_privs", "landlock", "seccomp"} {
			list = append(list, Layer{Name: name, On: !slices.Contains(off, name), Detail: "why"})
		}
		return list
	}
	for _, tt := range []struct {
		require Requirement
		layers  []Layer
		want    string
	}{
		{RequireNothing, layers("landlock", "seccomp", "limits"), ""},
		{RequireOne, layers("landlock", "namespaces"), ""},
		{RequireOne, layers("seccomp", "root"), ""},
		{RequireOne, layers("landlock", "seccomp"), "does not confine plugins here"},
		{RequireAll, layers(), ""},
		{RequireAll, layers("root", "seccomp"), "root (why), seccomp (why)"},
	} {
		if got := tt.require.Missing(tt.layers); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%d of %+v: %q, want %q", tt.require, tt.layers, got, tt.want)
		}
	}
}
