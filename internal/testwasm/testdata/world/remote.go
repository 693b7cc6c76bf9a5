package main

import (
	"encoding/json"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// thing is a document on the server, at things/NAME.
type thing struct {
	Text     string `json:"text"`
	Revision string `json:"revision,omitempty"`
}

// fetch is `open thing:NAME`: GET things/NAME gives {"text", "revision"}.
func fetch(h *pdk.Host, ref string) (abi.FetchResponse, error) {
	name := strings.TrimPrefix(ref, "thing:")
	var t thing
	r, err := h.HTTP("api", pdk.Get("things", name))
	if err == nil {
		err = r.JSON(&t)
	}
	return abi.FetchResponse{Ref: "thing:" + name, Name: name + ".world", Data: []byte(t.Text), Revision: t.Revision}, err
}

// store is `save`: PUT things/NAME with {"text", "revision"} gives {"revision"}, or 409 with what is there.
func store(h *pdk.Host, s *abi.StoreRequest) (abi.StoreResponse, error) {
	r, err := h.HTTP("api", pdk.Put("things", strings.TrimPrefix(s.Ref, "thing:")).JSON(thing{string(s.Data), s.Revision}))
	if err != nil {
		return abi.StoreResponse{}, err
	}
	var t thing
	if r.Status == 409 {
		err := json.Unmarshal(r.Body, &t)
		return abi.StoreResponse{Revision: t.Revision, Moved: t.Text != string(s.Data)}, err
	}
	err = r.JSON(&t)
	return abi.StoreResponse{Revision: t.Revision, Text: "stored " + s.Ref}, err
}
