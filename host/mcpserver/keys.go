package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/reply"
)

// keys is how the keys of a call's arguments were read.
type keys struct {
	args  map[string]any    // by our names
	from  map[string]string // the client's key of each
	notes []string          // for the reply
}

// mainArgument is the argument that says what a tool of a kind does.
func mainArgument(kind string) string {
	return map[string]string{abi.TryOp: "ops", abi.TryQuery: "q", abi.TryAction: "action", reply.TryHelp: "topic"}[kind]
}

// otherKeys lists other keys for an argument, without case, blanks, - and _. An argument's own name, in singular and
// plural, is one anyway.
func otherKeys(argument string) []string {
	return map[string][]string{
		"ops":      {"op", "operation", "operations", "command", "commands", "cmd", "cmds", "edit", "edits"},
		"q":        {"query", "queries", "question", "questions", "command", "commands", "cmd", "cmds"},
		"action":   {"op", "operation", "operations", "command", "commands", "cmd", "cmds"},
		"topic":    {"query", "q", "verb", "word", "words"},
		"document": {"doc", "docs", "docname", "docid", "documentname", "documentid", "handle"},
		"domain":   {"domainname"},
		"file":     {"filename"},
		"path":     {"filepath", "pathname"},
		"as":       {"saveas"},
	}[argument]
}

// means reports whether a folded key is one for an argument.
func means(folded, argument string) bool {
	return folded == argument || folded+"s" == argument || folded == argument+"s" || slices.Contains(otherKeys(argument), folded)
}

// saysWhatToDo reports whether a folded key is one for the main argument of any tool, or for then.
func saysWhatToDo(folded string) bool {
	return slices.ContainsFunc([]string{"ops", "q", "action", "then"}, func(a string) bool { return means(folded, a) })
}

// saysWhere reports whether a folded key names a file or a place: a call that ignores it may work on another one.
func saysWhere(folded string) bool {
	return slices.Contains([]string{"file", "filename", "filepath", "path", "pathname", "uri", "url", "as", "saveas", "output", "outputfile", "outputpath",
		"out", "dest", "destination", "target", "location", "folder", "directory", "dir"}, folded)
}

// saysHow reports whether a folded key says how much is to be done, or whether: a call that ignores it may do more.
func saysHow(folded string) bool {
	return slices.Contains([]string{"dryrun", "dry", "preview", "simulate", "validate", "validateonly", "check", "checkonly", "confirm", "confirmed", "rollback", "atomic",
		"force", "overwrite", "count", "steps", "times", "repeat", "limit", "undo", "if", "when", "condition"}, folded)
}

func foldKey(key string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(key))
}

// misspells reports whether a folded key is nearly one for an argument.
func misspells(folded, argument string) bool {
	return slices.ContainsFunc(append(otherKeys(argument), argument), func(word string) bool {
		most := 1
		if len(word) > 7 {
			most = 2
		}
		return len(word) > 3 && len(folded) > 2 && grammar.Distance(folded, word, most) <= most
	})
}

// readKeys finds the argument that each key means.
//
//   - Keys that clients add are ignored.
//   - Another key for an argument, such as query for q, is read as it, and so is a misspelt one for the main argument,
//     since nothing else can be meant. The reply says so.
//   - A key is refused if ignoring or guessing it could change what the call does.
//   - All others are ignored, and the reply says so.
func (b *binder) readKeys(given map[string]any) (*keys, *reply.Reply) {
	k := &keys{args: map[string]any{}, from: map[string]string{}}
	arguments := b.takes
	switch b.kind {
	case abi.TryAction:
		arguments = slices.Concat(arguments, draftWords())
	case abi.TryQuery: // its schema has none, since q may hold several queries
		arguments = slices.Concat(arguments, []string{"then"})
	}
	var others, unsure []string
	for _, key := range slices.Sorted(maps.Keys(given)) {
		switch {
		case given[key] == nil:
		case slices.Contains(arguments, key):
			k.args[key], k.from[key] = given[key], key
		case !isClientKey(key) || strings.Contains(foldKey(key), "doc"):
			others = append(others, key)
		}
	}
	main := mainArgument(b.kind)
	if i := slices.Index(arguments, main); i > 0 { // a key that fits several arguments means the main one
		arguments = slices.Concat([]string{main}, slices.Delete(slices.Clone(arguments), i, i+1))
	}
	for _, key := range others {
		folded := foldKey(key)
		i := slices.IndexFunc(arguments, func(a string) bool { return means(folded, a) })
		if i < 0 && misspells(folded, main) {
			i = 0
		}
		switch {
		case i < 0:
			unsure = append(unsure, key)
		case k.from[arguments[i]] != "":
			return k, b.refuseTwice(k, arguments[i], key, given[key])
		default:
			k.args[arguments[i]], k.from[arguments[i]] = given[key], key
			if key != "op" || b.kind == abi.TryQuery {
				k.notes = append(k.notes, fmt.Sprintf("read the argument %.64q as %s", key, arguments[i]))
			}
		}
	}
	return k, b.readUnsure(k, given, arguments, unsure)
}

// readUnsure reads the keys that are none of the tool's.
func (b *binder) readUnsure(k *keys, given map[string]any, arguments, unsure []string) *reply.Reply {
	main := mainArgument(b.kind)
	if k.from[main] == "" { // a single text can only be the main argument, at least if reading it as that changes nothing
		reads := b.kind == abi.TryQuery || b.kind == reply.TryHelp
		may := slices.DeleteFunc(slices.Clone(unsure), func(key string) bool {
			_, err := texts(given[key])
			return err != nil || !saysWhatToDo(foldKey(key)) && (!reads || saysWhere(foldKey(key)))
		})
		if len(may) == 1 && !(b.kind == reply.TryHelp && len(k.args) > 0) {
			k.args[main], k.from[main] = given[may[0]], may[0]
			k.notes = append(k.notes, fmt.Sprintf("read the argument %.64q as %s", may[0], main))
			unsure = slices.DeleteFunc(unsure, func(key string) bool { return key == may[0] })
		}
	}
	for _, key := range unsure {
		folded := foldKey(key)
		switch i := slices.IndexFunc(arguments, func(a string) bool { return misspells(folded, a) }); {
		case saysWhatToDo(folded) && b.kind != reply.TryHelp:
			return b.refuseMore(k, key, given[key])
		case i >= 0:
			meant := maps.Clone(k.args)
			meant[arguments[i]] = given[key]
			return reply.Errorf(b.suggest(meant), "%s takes no argument %.64q, which may mean %s; nothing was done", b.tool, key, arguments[i])
		case strings.Contains(folded, "doc") && slices.Contains(b.takes, "document"):
			meant := maps.Clone(k.args)
			meant["document"] = given[key]
			return reply.Errorf(b.suggest(meant), "%s takes no argument %.64q, which may mean document; nothing was done", b.tool, key)
		case saysHow(folded) && (b.kind == abi.TryOp || b.kind == abi.TryAction):
			return reply.Errorf(nil, "%s takes no argument %.64q, and without it might do what is not wanted; nothing was done", b.tool, key)
		case saysWhere(folded) && b.kind == abi.TryAction:
			return reply.Errorf(nil, "%s takes no argument %.64q: the path is a part of the action, as in open PATH and save as:PATH; nothing was done", b.tool, key)
		case saysWhere(folded) && b.kind != reply.TryHelp:
			return reply.Errorf(nil, "%s takes no argument %.64q: it works on an open document, which the argument document names; open PATH of %s opens a file; nothing was done",
				b.tool, key, b.family[2])
		}
		k.notes = append(k.notes, fmt.Sprintf("ignored the argument %.64q: %s takes %s", key, b.tool, strings.Join(b.takes, ", ")))
	}
	return nil
}

// refuseTwice refuses a second key for an argument.
func (b *binder) refuseTwice(k *keys, argument, key string, value any) *reply.Reply {
	one, err := texts(k.args[argument])
	two, err2 := texts(value)
	var try []reply.Suggestion
	switch {
	case err != nil || err2 != nil:
	case slices.Equal(one, two):
		try = b.suggest(k.args)
	case argument == "q":
		meant := maps.Clone(k.args)
		meant["q"] = strings.Join(append(one, two...), "\n")
		try = b.suggest(meant)
	}
	return reply.Errorf(try, "%.64q and %.64q are two keys for the argument %s of %s; give one of them; nothing was done", k.from[argument], key, argument, b.tool)
}

// refuseMore refuses a key that says what else to do, which would be lost.
func (b *binder) refuseMore(k *keys, key string, value any) *reply.Reply {
	meant := maps.Clone(k.args)
	list, err := texts(value)
	switch {
	case b.kind == abi.TryOp:
		var try []reply.Suggestion
		if err == nil && k.from["then"] == "" {
			meant["then"] = list
			try = b.suggest(meant)
		}
		return reply.Errorf(try, "%s takes no argument %.64q: queries and actions to run after the ops go into then; nothing was done", b.tool, key)
	case b.kind == abi.TryQuery:
		return reply.Errorf(b.suggest(meant), "%s only answers queries, in the argument q: %.64q belongs to a call of its own; nothing was done", b.tool, key)
	}
	return reply.Errorf(nil, "%s takes an action, in the argument action: %.64q belongs to a call of its own; nothing was done", b.tool, key)
}

// maxCall is the length up to which a call is suggested, in bytes.
const maxCall = 1000

// suggest suggests a call of the tool with these arguments; nothing if its document is not open.
func (b *binder) suggest(args map[string]any) []reply.Suggestion {
	args = b.fromDraft(args)
	main := mainArgument(b.kind)
	if name, ok := args["document"].(string); ok && b.s.session.Named(b.dom, name) == nil && !b.s.session.Shared() {
		return []reply.Suggestion{reply.Action("documents")}
	}
	if list, err := texts(args[main]); err == nil && len(list) == 1 && len(args) == 1 {
		return []reply.Suggestion{{Suggestion: abi.Suggestion{Kind: b.kind, Text: list[0]}}}
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s {", b.tool)
	for _, key := range []string{"ops", "then", "q", "action", "topic", "domain", "document"} {
		if args[key] == nil {
			continue
		}
		if !bytes.HasSuffix(text.Bytes(), []byte("{")) {
			text.WriteString(",")
		}
		fmt.Fprintf(&text, "%q:", key)
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		if e.Encode(args[key]) != nil {
			return nil
		}
		text.Truncate(text.Len() - 1) // the encoder's line break
	}
	text.WriteString("}")
	if text.Len() > maxCall {
		return nil
	}
	return []reply.Suggestion{reply.Call(text.String())}
}

// isClientKey reports whether some client adds this key to the arguments of tools that do not declare it. Such a key is
// not the model's, so it is ignored without a word.
func isClientKey(key string) bool {
	return strings.HasPrefix(key, "_") || slices.Contains([]string{
		"wait_for_previous",      // Gemini CLI 0.61: in each tool's schema, and passed on
		"task_progress",          // Cline: its prompt asks for it in every call (cline/cline#9684)
		"toolCallId",             // n8n 1.118 and later (n8n-io/n8n#21500)
		"sessionId", "chatInput", // n8n's agent passes on the item that it works on
		"security_risk", "summary", // OpenHands: in each tool's schema
		"explanation",                                       // Cursor: in the schemas of its own tools, which its models follow elsewhere
		"toolAction", "toolSummary", "waitForPreviousTools", // Windsurf and Antigravity, the same
		"requires_approval", // Cline, the same
		"request_heartbeat", // Letta: in each tool's schema
	}, key)
}
