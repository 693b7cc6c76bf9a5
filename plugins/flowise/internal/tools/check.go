package tools

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/plugins/flowise/internal/api"
)

// args are the arguments of a tool.
type args struct{ v *jsontree.Value }

// read reads the arguments of a tool and checks them.
func read(tool string, data []byte) (args, error) {
	v, err := jsontree.Parse(string(data))
	if err != nil {
		return args{}, api.Invalid("arguments", string(data), "json", "the arguments are not JSON: "+err.Error())
	}
	a := args{v}
	return a, a.check(tool)
}

func (a args) text(key string) string { return a.v.Get(key).Text() }

// MaxFlow is the size in bytes from which flow data is too large.
const MaxFlow = 1 << 20

// check checks the arguments of a tool before anything is sent, including rules that a
// schema cannot express.
func (a args) check(tool string) error {
	for _, c := range []struct {
		field, tools string
		required     bool
		longest      int
		shortest     int
	}{
		{"chatflow_id", "get_chatflow update_chatflow delete_chatflow run_prediction deploy_chatflow", true, 0, 1},
		{"name", "create_chatflow update_chatflow", tool == "create_chatflow", 255, 1},
		{"flow_data", "create_chatflow update_chatflow", tool == "create_chatflow", 0, 1},
		{"question", "run_prediction", true, 0, 1},
		{"description", "generate_agentflow_v2", true, 0, 10},
	} {
		if !slices.Contains(strings.Fields(c.tools), tool) {
			continue
		}
		v := a.v.Get(c.field)
		n := utf8.RuneCountInString(v.Text())
		switch {
		case v == nil && !c.required:
		case v == nil:
			return api.Invalid(c.field, "", "required", c.field+" is required")
		case !v.Is(jsontree.String):
			return api.Invalid(c.field, v.Raw(), "type", c.field+" must be a string")
		case n < c.shortest && c.longest > 0, c.longest > 0 && n > c.longest:
			constraint := "minLength"
			if n > c.longest {
				constraint = "maxLength"
			}
			return api.Invalid(c.field, v.Text(), constraint, fmt.Sprintf("Chatflow %s must be between %d and %d characters", c.field, c.shortest, c.longest))
		case n < c.shortest:
			return api.Invalid(c.field, v.Text(), "minLength", fmt.Sprintf("%s must have at least %d characters", c.field, c.shortest))
		}
	}
	if v := a.v.Get("flow_data"); v != nil {
		if err := Flow(v.Text()); err != nil {
			return err
		}
	}
	if v := a.v.Get("type"); v != nil && tool == "create_chatflow" && !slices.Contains(api.Types(), v.Text()) {
		return api.Invalid("type", v.Plain(), "enum", "type must be one of "+strings.Join(api.Types(), ", "))
	}
	switch v := a.v.Get("deployed"); {
	case v != nil && !v.Is(jsontree.Bool):
		return api.Invalid("deployed", v.Raw(), "type", "deployed must be true or false")
	case v == nil && tool == "deploy_chatflow":
		return api.Invalid("deployed", "", "required", "deployed is required")
	case v == nil && tool == "update_chatflow" && a.v.Get("name") == nil && a.v.Get("flow_data") == nil:
		return api.Invalid("chatflow_id", a.text("chatflow_id"), "anyOf", "nothing to update: give name, flow_data or deployed")
	}
	return nil
}

// Flow returns what is wrong with flow data, or nil.
func Flow(text string) error {
	if len(text) >= MaxFlow {
		return api.Invalid("flow_data", text, "maxLength", fmt.Sprintf("flow_data has %d bytes, and must have less than 1 MB", len(text)))
	}
	v, err := jsontree.Parse(text)
	if err != nil {
		return api.Invalid("flow_data", text, "json", "flow_data is not JSON: "+err.Error())
	}
	for _, part := range []string{"nodes", "edges"} {
		if !v.Get(part).Is(jsontree.Array) {
			return api.Invalid("flow_data", text, "required", "flow_data must have an array of "+part)
		}
	}
	return nil
}
