package conformance

import (
	"encoding/json"
	"fmt"

	"github.com/fcp-host/fcp-host/pdk"
)

// Reference resolves a reference with pdk.Index.
func Reference(c *Case) (any, error) {
	var in struct {
		Names []struct {
			Name, Type, Group string
		}
		Ref         string
		Destructive bool
	}
	if err := json.Unmarshal(c.Input, &in); err != nil {
		return nil, unreadable{fmt.Errorf("the input cannot be read: %w", err)}
	}
	var index pdk.Index[int]
	for i, n := range in.Names {
		index.Put(i, n.Name, n.Type, n.Group)
	}
	found, err := index.One(in.Ref, "name", in.Destructive)
	if err != nil {
		return nil, err
	}
	_, match := index.Find(in.Ref, in.Destructive)
	level := map[pdk.Match]string{pdk.MatchExact: "exact", pdk.MatchFold: "case", pdk.MatchNormal: "normal", pdk.MatchPrefix: "prefix"}
	return map[string]any{"found": found, "level": level[match], "name": in.Names[found].Name}, nil
}
