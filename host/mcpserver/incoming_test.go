package mcpserver

import "testing"

func TestTheLastParamsOfAMessageCount(t *testing.T) {
	for line, want := range map[string]string{
		`{"id":1,"method":"m"}`:                                          "",
		`{"id":1,"method":"m","params":null}`:                            "",
		`{"id":1,"method":"m","params":{"a":[1,"1e999"]}}`:               "",
		`{"id":1,"method":"m","params":[]}`:                              "params must be an object",
		`{"id":1,"method":"m","params":{"a":1e999}}`:                     "params hold a number that is too large",
		`{"id":1,"method":"m","params":[],"params":{"name":"last"}}`:     "",
		`{"id":1,"method":"m","params":{"name":5,"arguments":{"a":-1}}}`: "", // mcp-go reports the name
		`{"method":"m","params":[]}`:                                     "", // a notification
		`not JSON`:                                                       "",
	} {
		if got := readMessage([]byte(line)).badParams(); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	m := readMessage([]byte(`{"method":"m","params":{"name":"first"},"params":{"name":"last","arguments":{"a":1.0}}}`))
	if m.Params.Name != "last" || string(m.Params.Arguments) != `{"a":1.0}` || string(m.Params.raw) != `{"name":"last","arguments":{"a":1.0}}` {
		t.Errorf("the params are %s", m.Params.raw)
	}
}
