package mcpserver

import "testing"

func TestAFileOfAServerIsNamedByItsURL(t *testing.T) {
	for path, want := range map[string]string{
		"/home/ann/a b.mid":       "file:///home/ann/a%20b.mid",
		"s3://bucket/of/a b%.mid": "s3://bucket/of/a%20b%25.mid",
		"s3://bucket/of/a#b?.mid": "s3://bucket/of/a%23b%3F.mid",
	} {
		if got := fileURI(path); got != want {
			t.Errorf("%s is %s, and not %s", path, got, want)
		}
	}
}
