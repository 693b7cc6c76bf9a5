package api

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

// The first errors were recorded from a server; the test data of internal/flowise has
// all recorded ones.
func TestErrorsAreClassified(t *testing.T) {
	for _, c := range []struct {
		status    int
		body      string
		typ, says string
	}{
		{401, `{"error":"Unauthorized Access"}`, Authentication, "Unauthorized Access"},
		{403, `{"message":"Forbidden"}`, Authentication, "Forbidden"},
		{404, `{"statusCode":404,"success":false,"message":"Chatflow X not found in the database!","stack":{}}`, NotFound, "Chatflow X not found"},
		{400, `{"statusCode":400,"success":false,"message":"Invalid Chatflow ID","stack":{}}`, Validation, "Invalid Chatflow ID"},
		{500, `{"message":"Error: chatflowsService.deleteChatflow - Chatflow X not found in the database!"}`, NotFound, "Chatflow X not found in the database!"},
		{500, `{"message":"Error: chatflowsService.deleteChatflow - Invalid Chatflow ID"}`, Validation, "Invalid Chatflow ID"},
		{500, `{"message":"nodes is not iterable"}`, Validation, "not iterable"},
		{500, `{"message":"Expected property name or '}' in JSON at position 1"}`, Validation, "JSON"},
		{500, `{"message":"Error: x - Ending nodes not found"}`, Unexpected, "Ending nodes not found"},
		{500, `{"message":"Request failed: Unauthorized"}`, Authentication, "Unauthorized"},
		{500, ``, Unexpected, "the server answered 500"},
		{429, `Too many requests`, RateLimit, "Too many requests"},
		{503, `down`, Connection, "down"},
		{504, `late`, Timeout, "late"},
		{200, `{"error":"Failed to validate response format","rawResponse":{}}`, Unexpected, "Failed to validate"},
		{200, `no JSON`, Unexpected, "not JSON"},
	} {
		err := answerError(&pdk.Response{HTTPResponse: abi.HTTPResponse{Status: c.status, Body: []byte(c.body)}}, "chatflows:view")
		if !Is(err, c.typ) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%d %s: %v, want %s with %q", c.status, c.body, err, c.typ, c.says)
		}
	}
	if err := answerError(&pdk.Response{HTTPResponse: abi.HTTPResponse{Status: 200, Body: []byte(`{"text":"x"}`)}}, ""); err != nil {
		t.Errorf("an answer: %v", err)
	}
	for kind, want := range map[string]string{abi.FailedDial: Connection, abi.FailedDNS: Connection, abi.FailedTLS: Connection, abi.FailedProtocol: Connection, abi.FailedTimeout: Timeout, abi.FailedTooLarge: Unexpected} {
		if err := connectionError(&pdk.RequestError{Kind: kind, Message: "why"}); !Is(err, want) || !strings.Contains(err.Error(), "why") {
			t.Errorf("%s: %v, want %s", kind, err, want)
		}
	}
}

func TestWordsAreJSON(t *testing.T) {
	for word, want := range map[string]string{"7": "7", "-1.50": "-1.50", "true": "true", "null": "null", `{"a": 1}`: `{"a": 1}`, "[1]": "[1]", "text": `"text"`, `"quoted"`: `"\"quoted\""`, "": `""`, " 7": `" 7"`, "{{ question }}": `"{{ question }}"`} {
		if got := Value(word); got != want {
			t.Errorf("%q is %s, want %s", word, got, want)
		}
	}
}
