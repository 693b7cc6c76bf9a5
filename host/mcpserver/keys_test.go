package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// keyCase is a call on the document T, which has one line, a, with the document other in the background.
type keyCase struct {
	tool, args string
	want       string // the start of the reply
	note       string // the reply's last line, if that starts with ?
	try        string // the suggestion
}

var keyCases = []keyCase{
	// Keys that clients add are ignored without a word.
	{"list", `{"ops":["add x"],"wait_for_previous":true}`, "+ x\n[T: 3 lines *unsaved]", "", ""},
	{"list_query", `{"q":"map","wait_for_previous":false,"_meta":{"a":1},"_x":1}`, "#list T\na", "", ""},
	{"list_session", `{"action":"checkpoint c","wait_for_previous":true,"task_progress":"- [x] done"}`, `+ checkpoint "c"`, "", ""},
	{"list_help", `{"topic":"add","toolCallId":"call_1","security_risk":"LOW","summary":"looks up add","explanation":"because"}`, "## add\n", "", ""},
	{"list_help", `{"wait_for_previous":true}`, "# List reference card", "", ""},
	{"list", `{"wait_for_previous":true}`, "! the argument ops is missing", "", "list_help"},

	// Another key for an argument.
	{"list_query", `{"query":"map"}`, "#list T\na", `? read the argument "query" as q`, ""},
	{"list_query", `{"Q":"map"}`, "#list T\na", `? read the argument "Q" as q`, ""},
	{"list_query", `{"op":"map"}`, "#list T\na", `? read the argument "op" as q`, ""},
	{"list_query", `{"action":"map"}`, "#list T\na", `? read the argument "action" as q`, ""},
	{"list_query", `{"text":"map","document":"T"}`, "#list T\na", `? read the argument "text" as q`, ""},
	{"list_query", `{"qeury":"map"}`, "#list T\na", `? read the argument "qeury" as q`, ""},
	{"list_query", `{"q":"map","Document":"other"}`, "#list other", `? read the argument "Document" as document`, ""},
	{"list_query", `{"q":"map","documents":"other"}`, "#list other", `? read the argument "documents" as document`, ""},
	{"list_query", `{"q":"map","document_name":"other"}`, "#list other", `? read the argument "document_name" as document`, ""},
	{"list_query", `{"q":"map","doc":null}`, "#list T\na", "", ""},
	{"list_session", `{"command":"checkpoint c"}`, `+ checkpoint "c"`, `? read the argument "command" as action`, ""},
	{"list_session", `{"Actions":["checkpoint c"]}`, `+ checkpoint "c"`, `? read the argument "Actions" as action`, ""},
	{"list_session", `{"acton":"checkpoint c"}`, `+ checkpoint "c"`, `? read the argument "acton" as action`, ""},
	{"list_session", `{"action":"open","filePath":"./none.list"}`, "! cannot open: ", `? read the argument "filePath" as path`, ""},
	{"list", `{"operations":["add x","add y"]}`, "+ x\n+ y\n", `? read the argument "operations" as ops`, ""},
	{"list", `{"OPS":"add x","Then":["map"]}`, "+ x\n? read the argument \"OPS\" as ops\n? read the argument \"Then\" as then\n#list T\na\nx\n", `? read the argument "Then" as then`, ""},
	{"list", `{"commands":"add x","doc":"other"}`, "+ x\n", `? read the argument "doc" as document`, ""},
	{"list_help", `{"query":"add"}`, "## add\n", `? read the argument "query" as topic`, ""},
	{"list_help", `{"about":"add"}`, "## add\n", `? read the argument "about" as topic`, ""},

	// A key that may change what is done.
	{"list", `{"ops":["add x"],"documnt":"other"}`, `! list takes no argument "documnt", which may mean document; nothing was done`, "", `list {"ops":["add x"],"document":"other"}`},
	{"list", `{"ops":["add x"],"documnt":"none"}`, `! list takes no argument "documnt"`, "", `list_session documents`},
	{"list", `{"ops":["add x","add \"<y>\""],"thenn":["map"]}`, `! list takes no argument "thenn", which may mean then; nothing was done`, "", `list {"ops":["add x","add \"<y>\""],"then":["map"]}`},
	{"list", `{"ops":["add x"],"action":"map"}`, `! list takes no argument "action": queries and actions to run after the ops go into then`, "", `list {"ops":["add x"],"then":["map"]}`},
	{"list", `{"ops":["add x"],"path":"./b.list"}`, `! list takes no argument "path": it works on an open document`, "", "list_help"},
	{"list", `{"ops":["add x"],"_document_uri":"other"}`, `! list takes no argument "_document_uri", which may mean document; nothing was done`, "", `list {"ops":["add x"],"document":"other"}`},
	{"list", `{"ops":["add x"],"dry_run":true}`, `! list takes no argument "dry_run", and without it might do what is not wanted; nothing was done`, "", "list_help"},
	{"list_session", `{"action":"undo","steps":2}`, `! list_session takes no argument "steps", and without it might do what is not wanted; nothing was done`, "", "list_session status"},
	{"list_query", `{"q":"map","docment":"other"}`, `! list_query takes no argument "docment"`, "", `list_query {"q":"map","document":"other"}`},
	{"list_query", `{"q":"map","file":"./b.list"}`, `! list_query takes no argument "file": it works on an open document`, "", "status"},
	{"list_query", `{"q":"map","then":["save"]}`, `! then "save": no query, and this tool only reads; nothing was done`, "", "map"},
	{"list_session", `{"action":"close force","documnt":"other"}`, `! list_session takes no argument "documnt"`, "", `list_session {"action":"close force","document":"other"}`},
	{"list_session", `{"action":"save","fiel":"./b.list"}`, `! list_session takes no argument "fiel", which may mean file`, "", `list_session save "./b.list"`},
	{"list_session", `{"action":"save","output":"./b.list"}`, `! list_session takes no argument "output": the path is a part of the action`, "", "list_session status"},
	{"list_session", `{"action":"undo","ops":["add x"]}`, `! list_session takes an action, in the argument action: "ops" belongs to a call of its own`, "", "list_session status"},

	// Any other key.
	{"list", `{"ops":["add x"],"colour":"red"}`, "+ x\n", `? ignored the argument "colour": list takes document, ops, then`, ""},
	{"list_query", `{"q":"map","comment":"a look"}`, "#list T\na", `? ignored the argument "comment": list_query takes document, q`, ""},
	{"list_session", `{"action":"checkpoint c","reason":"safe"}`, `+ checkpoint "c"`, `? ignored the argument "reason": list_session takes action, document, then`, ""},
	{"list_help", `{"topic":"add","mode":"full"}`, "## add\n", `? ignored the argument "mode": list_help takes topic`, ""},
	{"list_session", `{"action":"close","colour":"red"}`, `! "T" has unsaved changes`, `? ignored the argument "colour": list_session takes action, document, then`, `list_session save as:"./T.list"`},

	// Two keys for one argument.
	{"list_query", `{"q":"map","query":"find a"}`, `! "q" and "query" are two keys for the argument q of list_query; give one of them`, "", "map\nfind a"},
	{"list_query", `{"query":"map","queries":["map"]}`, `! "queries" and "query" are two keys for the argument q`, "", "map"},
	{"list_session", `{"action":"undo","command":"redo"}`, `! "action" and "command" are two keys for the argument action`, "", "list_session status"},
	{"list", `{"ops":["add x"],"op":"add x"}`, `! "ops" and "op" are two keys for the argument ops`, "", "add x"},
	{"list", `{"ops":["add x"],"document":"T","doc":"other"}`, `! "document" and "doc" are two keys for the argument document`, "", "list_help"},

	// A list for one string.
	{"list_query", `{"q":["map"]}`, "#list T\na", "", ""},
	{"list_query", `{"q":["map","find a"]}`, "> map\n#list T\na\n> find a\n", "", ""},
	{"list_query", `{"q":"[\"map\"]"}`, "#list T\na", "", ""},
	{"list_query", `{"q":["map"],"document":["other"]}`, "#list other", "", ""},
	{"list_query", `{"q":[]}`, "! the argument q of list_query is an empty list", "", "status"},
	{"list_query", `{"q":["map",7]}`, "! the argument q of list_query must be a string, not an array", "", "status"},
	{"list_query", `{"q":"map","document":["T","other"]}`, "! the argument document of list_query must be one string, not a list of 2", "", "status"},
	{"list_help", `{"topic":["add"]}`, "## add\n", "", ""},
	{"list_session", `{"action":["checkpoint c"]}`, `+ checkpoint "c"`, "", ""},
	{"list_session", `{"action":["checkpoint c","undo","map"]}`, "+ checkpoint \"c\"\n* undid add a\n  #list T\n[T: 1 lines]", "", ""},
	{"list_session", `{"action":["undo","undo","checkpoint c"]}`, "* undid add a\n! then \"undo\": nothing to undo", "", ""},
	{"list_session", `{"action":["redo","checkpoint c"]}`, "! nothing to redo", "", ""},
	{"list_session", `{"action":["checkpoint","two words"]}`, `! "two" is no action, query or verb; several actions go into a list with one in each string`, "", `list_session checkpoint "two words"`},
	{"list_session", `{"action":["save","as:./b.list"]}`, `! "as:./b.list" is no action, query or verb; several actions go into a list`, "", "list_session save as:./b.list"},
}

// Each case is sent to a session of its own. A suggestion is sent, too, as it is printed.
func TestUnracedKeysAreReadIgnoredOrRefused(t *testing.T) {
	testwasm.Unraced(t)
	dir := t.TempDir()
	domains := start(t, dir, false).session.Domains()
	for i, c := range keyCases {
		roots, err := files.NewRoots(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		s := session.New(domain.List(domains), roots)
		lines := []string{initialize, action(1, `new "other"`), edit(2, "add b"), action(3, `new "T"`), edit(4, "add a"), rawCall(5, c.tool, c.args)}
		if strings.HasPrefix(c.try, c.tool+" {") {
			lines = append(lines, rawCall(6, c.tool, strings.TrimPrefix(c.try, c.tool+" ")))
		} else if c.try != "" {
			lines = append(lines, sendAsPrinted(6, c.tool, c.try))
		}
		all := talk(t, New(Config{Session: s, Log: discard}), lines...)
		s.Close()
		got := answer(t, all, 5)
		text := got.text()
		if !strings.HasPrefix(text, c.want) || got.IsError != (strings.HasPrefix(text, "! ") || strings.Contains(text, "\n! ")) {
			t.Errorf("%d. %s %s: %q, want %q", i, c.tool, c.args, text, c.want)
		}
		note := ""
		for line := range strings.SplitSeq(text, "\n") {
			if strings.Contains(line, " the argument ") && strings.HasPrefix(line, "? ") {
				note = line
			}
		}
		if note != c.note {
			t.Errorf("%d. %s %s: the note is %q, want %q", i, c.tool, c.args, note, c.note)
		}
		_, try, _ := strings.Cut(text, "\n  try: ")
		try, _, _ = strings.Cut(strings.ReplaceAll(try, "\n       ", "\x00"), "\n")
		if try = strings.ReplaceAll(try, "\x00", "\n"); try != c.try {
			t.Errorf("%d. %s %s: the suggestion is %q, want %q", i, c.tool, c.args, try, c.try)
		}
		if c.try != "" {
			if got := answer(t, all, 6); got.IsError {
				t.Errorf("%d. %s %s: the suggestion %q fails: %q", i, c.tool, c.args, c.try, got.text())
			}
		}
	}
}

// sendAsPrinted is the call that a suggestion of a tool's reply prints.
func sendAsPrinted(id int, tool, try string) string {
	for name, key := range map[string]string{"list_query": "q", "list_session": "action", "list_help": "topic"} {
		if try == name {
			return rawCall(id, name, "{}")
		}
		if rest, ok := strings.CutPrefix(try, name+" "); ok {
			return call(id, name, map[string]any{key: rest})
		}
	}
	return call(id, tool, map[string]any{map[string]string{"list": "ops", "list_query": "q"}[tool]: try})
}

func TestTheUnifiedToolsReadKeysTheSameWay(t *testing.T) {
	all := talk(t, start(t, t.TempDir(), true), initialize,
		rawCall(1, "fcp_session", `{"command":"new list \"T\"","wait_for_previous":true}`),
		rawCall(2, "fcp_edit", `{"operations":["add x"],"wait_for_previous":true}`),
		rawCall(3, "fcp_query", `{"query":["map"],"wait_for_previous":true}`),
		rawCall(4, "fcp_help", `{"Domain":"list","topic":"add","wait_for_previous":true}`),
		rawCall(5, "fcp_edit", `{"ops":["add y"],"documnt":"T"}`),
		rawCall(6, "fcp_session", `{"action":["new list \"U\"","status"]}`),
		rawCall(7, "fcp_session", `{"domain":"list","action":"new \"V W\""}`),
		rawCall(8, "fcp_session", `{"domain":"list","action":"new list \"X\""}`))
	for id, want := range []string{1: "+ new list document \"T\"", 2: "+ x\n? read the argument \"operations\" as ops\n[2 lines *unsaved]", 3: "#list T\nx\n? read",
		4: "## add\n", 5: "! fcp_edit takes no argument \"documnt\", which may mean document; nothing was done\n  try: fcp_edit {\"ops\":[\"add y\"],\"document\":\"T\"}", 6: "+ new list document \"U\"\n",
		7: "+ new list document \"V W\"\n", 8: "+ new list document \"X\"\n"} {
		if id == 0 {
			continue
		}
		if got := answer(t, all, id).text(); !strings.HasPrefix(got, want) {
			t.Errorf("call %d: %q, want %q", id, got, want)
		}
	}
}

// Every key that some client adds leaves each of the four tools' replies as they are.
func TestKeysOfClientsChangeNoReply(t *testing.T) {
	ask := func(extra string) string {
		lines := []string{initialize}
		for i, c := range [][2]string{{"list_session", `"action":"new \"A\""`}, {"list", `"ops":["add x"]`}, {"list_query", `"q":"map"`}, {"list_help", `"topic":"add"`}} {
			lines = append(lines, rawCall(i+1, c[0], "{"+c[1]+extra+"}"))
		}
		all := talk(t, start(t, t.TempDir(), false), lines...)
		var out strings.Builder
		for id := 1; id <= 4; id++ {
			out.WriteString(answer(t, all, id).text() + "\n")
		}
		return out.String()
	}
	want, extra := ask(""), ""
	for _, key := range []string{"wait_for_previous", "_meta", "task_progress", "toolCallId", "sessionId", "chatInput", "security_risk", "summary", "explanation",
		"toolAction", "toolSummary", "waitForPreviousTools", "requires_approval", "request_heartbeat"} {
		data, err := json.Marshal(key)
		if err != nil {
			t.Fatal(err)
		}
		extra += fmt.Sprintf(",%s:true", data)
	}
	if got := ask(extra); got != want {
		t.Errorf("with the keys of clients:\n%s\nwithout:\n%s", got, want)
	}
}
