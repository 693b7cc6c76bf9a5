package mcpserver

import (
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/session"
)

// linker makes the links of a call's replies. Only a caller who may change the domain's documents gets one for an
// upload, and only one who may read them any.
func (h *HTTP) linker(call *gate.Call) session.Linker {
	return func(l session.Link) (url string, life time.Duration) {
		if !call.May(l.Domain, l.Upload) {
			return "", 0
		}
		return call.Link(l, h.c.Peers.sessionID(""))
	}
}

// serveLink answers a request with a link.
func (h *HTTP) serveLink(w http.ResponseWriter, r *http.Request) {
	call := gate.Of(r.Context())
	l, ok := call.Target().(session.Link)
	if !ok {
		if !h.forwardLink(w, r) {
			gate.Refuse(w, http.StatusNotFound, "the link has expired or was used; save or open the document again to get a new one")
		}
		return
	}
	call.SetResult("", l.Name(), false)
	call.SetMethod("files/download")
	methods := []string{http.MethodGet, http.MethodHead}
	if l.Upload {
		call.SetMethod("files/upload")
		methods = []string{http.MethodPut}
	}
	switch {
	case !slices.Contains(methods, r.Method):
		w.Header().Set("Allow", strings.Join(methods, ", "))
		gate.Refuse(w, http.StatusMethodNotAllowed, "this link is for "+strings.Join(methods, " and "))
	case l.Upload:
		h.upload(w, r, l)
	default:
		download(w, r, l)
	}
}

// forwardLink has the host that made a link answer, and reports whether there is one.
func (h *HTTP) forwardLink(w http.ResponseWriter, r *http.Request) bool {
	host := h.c.Peers.hostOf(strings.TrimPrefix(r.URL.Path, gate.LinkPath))
	if host == "" || r.Header.Get(forwarded) != "" || h.gone(host) { // nobody's body is read for a host that is not there
		return false
	}
	body, ok := gate.ReadBody(w, r, session.MaxUpload)
	if !ok {
		return true
	}
	err := h.forward(w, r, host, body, func() bool { return h.gone(host) })
	if errors.Is(err, errUnanswered) && r.Context().Err() == nil {
		gate.Refuse(w, http.StatusBadGateway, "the host that made the link ended during this request")
	}
	return !errors.Is(err, errNotReached)
}

// download sends a file so that a browser stores it, and neither shows it nor runs what is in it.
func download(w http.ResponseWriter, r *http.Request, l session.Link) {
	f, err := l.Open(r.Context())
	if err != nil {
		gate.Refuse(w, http.StatusNotFound, "the file cannot be read any more; save it again to get a new link")
		return
	}
	defer f.Close()
	kind := l.MIME
	if kind == "" {
		kind = "application/octet-stream"
	}
	head := w.Header()
	head.Set("Content-Type", kind)
	head.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": l.Name()}))
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	head.Set("Cache-Control", "no-store")
	head.Set("Referrer-Policy", "no-referrer")
	http.ServeContent(w, r, "", time.Time{}, f)
}

// upload stores the body as a new file. The link ends with that; after an error it may be tried again.
func (h *HTTP) upload(w http.ResponseWriter, r *http.Request, l session.Link) {
	body, ok := gate.ReadBody(w, r, session.MaxUpload)
	if !ok {
		return
	}
	did, err := l.Create(r.Context(), body)
	if err != nil {
		gate.Refuse(w, http.StatusConflict, err.Error())
		return
	}
	h.c.Gate.EndLink(r)
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write([]byte(did + "\n")) // an error means that the client has disconnected
}
