package mcpserver

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Pictures count against the limit until they are sent; one that does not fit is not sent.
func TestPicturesOnTheirWayAreBounded(t *testing.T) {
	const size = 1 << 20
	picture := reply.Content{MIME: "image/png", Data: make([]byte, size)}
	two := func() *reply.Reply {
		return &reply.Reply{Content: []reply.Content{picture}, Then: []*reply.Reply{{Content: []reply.Content{picture}}}}
	}
	countPictures := func(r *reply.Reply) (n int) {
		for _, part := range parts(r) {
			n += len(part.Content)
		}
		return n
	}
	// A principal gets half of the limit, which is enough for one picture.
	g := gate.New(gate.Config{Open: true, Bodies: 2 * copies * size, Log: slog.New(slog.DiscardHandler)})
	site := g.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		all := two()
		holdPictures(r.Context(), all)
		const says = "held back: a picture of 1048576 bytes, since too many bytes are being sent (limit bodies); ask again later"
		if countPictures(all) != 1 || len(all.Content) != 1 || strings.Join(all.Then[0].Warnings, "") != says {
			t.Errorf("%d pictures are kept, and the reply says %q", countPictures(all), all.Then[0].Warnings)
		}
		gate.Of(r.Context()).Next() // the first one has been sent
		all = two()
		if holdPictures(r.Context(), all); countPictures(all) != 1 {
			t.Errorf("of the next message %d are kept", countPictures(all))
		}
	}))
	for range 2 { // the end of a request frees memory, too
		site.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "http://localhost"+HTTPPath, nil))
	}
	local := two()
	if holdPictures(t.Context(), local); countPictures(local) != 2 {
		t.Error("over stdio there is one client, and no bound")
	}
}
