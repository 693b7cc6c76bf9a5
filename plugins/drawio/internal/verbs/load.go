package verbs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pack"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

func loadVerb() verb {
	return verb{Run: runLoad, Verb: abi.Verb{
		Syntax: "load PACK…", Summary: "let add use the icons of a pack: " + strings.Join(pack.Names(), " "), Category: "looks",
		Brief:    "load PACK… · icons for add: " + strings.Join(pack.Names(), " "),
		Examples: []string{"load aws", "load k8s gcp"},
	}}
}

func runLoad(c *ctx, a pdk.Args) error {
	var packs, had []string
	for i := range a.Positionals {
		name, ok := pack.Named(a.Text(i))
		switch {
		case !ok:
			err := pdk.Errorf("unknown pack %q; packs: %s", a.Text(i), strings.Join(pack.Names(), " "))
			near := pdk.Nearest(name, pack.Names())
			for _, n := range near {
				err.Try(a.Mended(pdk.WithWords(i, 1, n)))
			}
			if len(near) == 0 {
				err.TryQuery("types " + pdk.Quote(a.Text(i)))
			}
			return err
		case slices.Contains(catalog.LoadedPacks(c.Model), name) || slices.Contains(packs, name):
			had = append(had, name)
		default:
			packs = append(packs, name)
		}
	}
	if len(packs) == 0 {
		return pdk.Unchanged("already loaded: %s; `types %s` lists what is in it", strings.Join(had, " "), had[0])
	}
	d := c.Model.Draft()
	for _, name := range packs {
		d.Step(mxfile.Step{Action: mxfile.LoadPack, New: name})
	}
	pdk.Check(c.Do(d.Edit(), "load "+strings.Join(packs, " ")))
	var lines []string
	for _, name := range packs {
		line := fmt.Sprintf("pack %s: %s, such as %s; query `types %s` or `types WORD` to find others",
			name, pdk.Count(len(pack.Shapes(name)), "shape"), packSample(name), name)
		var own []string
		for _, t := range style.Order() {
			if _, ok := pack.Find(name, t); ok {
				own = append(own, t)
			}
		}
		if len(own) > 0 {
			line += fmt.Sprintf("\nplain %s as ever; the pack's own: %s.%s", strings.Join(own, " "), name, strings.Join(own, " "+name+"."))
		}
		lines = append(lines, line)
	}
	c.Changed("%s", strings.Join(lines, "\n"))
	return nil
}

// packSample names some common shapes of a pack.
func packSample(name string) string {
	switch name {
	case "aws":
		return "ec2 lambda s3 rds dynamodb api_gateway group_vpc"
	case "azure":
		return "virtual_machine function_apps app_services sql_database storage_accounts key_vaults"
	case "gcp":
		return "compute_engine cloud_functions bigquery cloud_pubsub cloud_storage cloud_sql"
	case "k8s":
		return "pod deploy svc ing cm secret sts ns"
	case "cisco":
		return "router l3_switch firewall server wireless_access_point workstation"
	}
	return "vpc subnet instance loadbalancer objectstorage user"
}
