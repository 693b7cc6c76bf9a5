package diagram

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pack"
)

func TestAPackIsLoadedBeforeItsShapesAreAdded(t *testing.T) {
	d := newDoc(t)
	empty := d.bytes()
	if e := d.refused("add lambda Resize", `"lambda" is a shape of the pack aws, which is not loaded`); len(e.Try) != 1 || e.Try[0].Text != "add aws.lambda Resize" {
		t.Errorf("try %q", e.Try)
	}
	if e := d.refused("add firewall Edge", "none of them is loaded"); len(e.Try) < 2 || e.Try[0].Text != "add azure.firewalls Edge" {
		t.Errorf("try %q", e.Try)
	}
	if text := d.run("load aws"); !strings.HasPrefix(text, "pack aws: 651 shapes, such as ") {
		t.Error(text)
	}
	d.unchanged("load aws", "already loaded: aws")
	if got := d.bytes(); got != empty {
		t.Errorf("load changed the file:\n%s", got)
	}
	if text := d.run("add lambda Resize at:100,100"); text != "lambda Resize @(100,100 78x78)" {
		t.Error(text)
	}
	if !strings.Contains(d.bytes(), "shape=mxgraph.aws4.resourceIcon;resIcon=mxgraph.aws4.lambda;") {
		t.Error("no lambda in", d.bytes())
	}
	if text := d.run(`add "API Gateway" Front theme:blue`); !strings.HasPrefix(text, "api_gateway Front") || !strings.HasSuffix(text, "blue") {
		t.Error(text)
	}
	if e := d.refused("add lamda Other", "nearest: lambda"); e.Try[0].Text != "add lambda Other" {
		t.Errorf("try %q", e.Try)
	}
	d.run("connect aws.lambda:Resize -> Front", "modify Front type:s3", "style @type:lambda shadow", "style @type:aws.s3 shadow")
	d.run("add group_vpc Net at:400,100 size:300x200", "add ec2 Web in:Net")
	if text := d.run("remove @group:Net"); !strings.Contains(text, "Web") {
		t.Error(text)
	}

	d.run("add box Turn at:100,600", "modify Turn type:lambda")
	if got := d.query("list @text:Turn"); !strings.Contains(got, "Turn(lambda) @(121,591 78x78)") {
		t.Error(got)
	}
	d.run("modify Turn type:svc")
	if got := d.query("list @text:Turn"); !strings.Contains(got, "Turn(svc) @(90,600 140x60)") {
		t.Error(got)
	}

	// Saved and opened again, the pack is loaded and all is as it was.
	again := openDoc(t, []byte(d.bytes()))
	if got := again.bytes(); got != d.bytes() {
		t.Error("saved differently")
	}
	again.run("add sqs Jobs")
	for len(d.log) > 0 {
		d.undo()
	}
	if got := d.bytes(); got != empty {
		t.Errorf("undone to\n%s\nwant\n%s", got, empty)
	}
	d.refused("add lambda Resize", "not loaded")
}

// The icons that a diagram shows tell which packs it uses.
func TestAPackIsKnownByTheIconsOfTheDiagram(t *testing.T) {
	d := newDoc(t)
	d.refused("add firewall Edge", "none of them is loaded")
	d.run("add azure.virtual_networks Net")
	if text := d.run("add firewall Edge"); !strings.HasPrefix(text, "firewalls Edge") {
		t.Error(text)
	}
	again := openDoc(t, []byte(`<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/><mxCell id="a" style="image;image=img/lib/mscae/Users.svg;" vertex="1" parent="1"><mxGeometry width="50" height="50" as="geometry"/></mxCell></root></mxGraphModel>`))
	if text := again.run("add firewall Edge"); !strings.HasPrefix(text, "firewalls Edge") {
		t.Error(text)
	}
}

func TestPlainTypesKeepTheirMeaningWhenAPackIsLoaded(t *testing.T) {
	d := newDoc(t)
	if text := d.run("load k8s"); !strings.Contains(text, "\nplain svc api as ever; the pack's own: k8s.svc k8s.api") {
		t.Error(text)
	}
	if text := d.run("add svc A"); !strings.Contains(text, "140x60") {
		t.Error(text)
	}
	if text := d.run("add k8s.svc B"); !strings.HasPrefix(text, "k8s.svc B") || !strings.Contains(text, "50x48") {
		t.Error(text)
	}
	d.run("add deployment C", "load cisco azure")
	if e := d.refused("add firewall D", `"firewall" is a shape of several packs: cisco.firewall, azure.firewalls`); e.Try[0].Text != "add cisco.firewall D" {
		t.Errorf("try %q", e.Try)
	}
	d.run("add cisco.firewall D", "add azure.firewall E")
	d.refused("load visio", "packs: aws azure gcp k8s cisco ibm")
	d.run("load aws aws")
	d.unchanged("load cisco aws", "already loaded: cisco aws")
}

func TestTypesFindsShapesOfPacks(t *testing.T) {
	d := newDoc(t)
	for _, c := range []struct{ query, want string }{
		{"types", "pack aws: 651 shapes, not loaded"},
		{"types k8s", "k8s (add k8s.NAME): 39 shapes\napi c_c_m"},
		{"types lambda", "aws (add aws.NAME): 2 shapes\nCompute: lambda lambda_function"},
		{"types aws database", "Database: "},
		{"types gcp", "… 25 more; types gcp WORD"},
		{"types cisco elb", `no shape of cisco has "elb" in its name`},
		{"types aws elb", "elastic_load_balancing"},
	} {
		if got := d.query(c.query); !strings.Contains(got, c.want) {
			t.Errorf("%s:\n%s\nwant %q", c.query, got, c.want)
		}
	}
	d.run("load gcp")
	if got := d.query("types gcp pubsub"); got != "gcp: 1 shape\nData Analytics: cloud_pubsub" {
		t.Error(got)
	}
}

func TestEveryShapeOfEveryPackCanBeAdded(t *testing.T) {
	d := newDoc(t)
	d.run("load " + strings.Join(pack.Names(), " "))
	for _, p := range pack.Names() {
		for _, s := range pack.Shapes(p) {
			r := d.try("add " + s.Qualified() + " X")
			if r.Error != nil {
				t.Fatalf("%s: %s", s.Qualified(), r.Error.Message)
			}
			if !strings.HasPrefix(r.Text, catalog.StencilKind(s)+" X") {
				t.Fatalf("%s: %s", s.Qualified(), r.Text)
			}
		}
		d = newDoc(t)
		d.run("load " + strings.Join(pack.Names(), " "))
	}
}
