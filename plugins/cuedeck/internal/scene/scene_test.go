package scene

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func sample() Input {
	return Input{Name: "Shop", Limit: 1000,
		Cards: []Card{
			{ID: "low001", Path: "l.md", Title: "Polish", Status: "todo", Priority: "low"},
			{ID: "act001", Path: "a.md", Title: "Login", Status: "active", Priority: "medium", DependsOn: []string{"dep001", "don001", "gone00"}, Body: "Build it.\n", Links: []string{"docs/auth.md"}},
			{ID: "act002", Path: "b.md", Title: "Outage", Status: "active", Priority: "critical", Assignee: "@dev", Tags: []string{"ops"}},
			{ID: "dep001", Path: "d.md", Title: "Database", Status: "todo", Priority: "low", DependsOn: []string{"act001"}},
			{ID: "don001", Path: "e.md", Title: "Framework", Status: "done", Body: "long ago"},
			{ID: "high01", Path: "h.md", Title: "Payment", Status: "todo", Priority: "high"},
			{ID: "arc001", Path: "r.md", Title: "Old", Status: "archived"},
		},
		Docs: []Doc{{"docs/auth.md", "# Auth\n\nTokens.\n"}, {"docs/other.md", "# Other\n"}},
	}
}

func TestScenesAreOrderedByPriority(t *testing.T) {
	s, err := Build(sample())
	if err != nil {
		t.Fatal(err)
	}
	const want = `# Scene: Shop

2 active, 3 todo of 7 cards; 2 documents

## Active

### act002 Outage

active · critical · @dev · #ops · b.md

### act001 Login

active · medium · depends on dep001 don001 gone00 · a.md

Build it.

## Active cards depend on

### dep001 Database

todo · low · depends on act001 · d.md

## Done, and active cards depend on it
- don001 Framework (done · medium)

## Todo, high

### high01 Payment

todo · high · h.md

## Todo, low

### low001 Polish

todo · low · l.md

## Documents

### docs/auth.md

# Auth

Tokens.
`
	if s.Text != want {
		t.Errorf("got\n%s", s.Text)
	}
	if s.Tokens != Tokens(len(s.Text)) || len(s.LeftCards)+len(s.LeftDocs)+len(s.Short) != 0 {
		t.Errorf("got %+v", s)
	}
}

func TestScenesNameWhatDoesNotFit(t *testing.T) {
	in := sample()
	in.Limit = 130
	s, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Text) > 4*in.Limit || !strings.Contains(s.Text, "## Left out for the token limit\n\n") || !strings.Contains(s.Text, "docs/auth.md\n") || len(s.LeftDocs) != 1 {
		t.Errorf("%d tokens:\n%s", s.Tokens, s.Text)
	}
	in.Limit = 20
	var small *TooSmall
	if _, err := Build(in); !errors.As(err, &small) || small.Limit != 20 || small.Needs <= 20 {
		t.Errorf("got %v", err)
	}
	in.Limit = small.Needs
	if s, err := Build(in); err != nil || s.Tokens > in.Limit {
		t.Errorf("with what it needs: %v, %d tokens", err, s.Tokens)
	}
}

func TestSecretsAreMasked(t *testing.T) {
	mask, wrong := NewMask([]string{`acme_\d+`, `(`, `x*`})
	if len(wrong) != 2 {
		t.Errorf("wrong are %q", wrong)
	}
	in := sample()
	secret := []string{"sk-proj-abcdefghijklmnopqrstuv", "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "AKIAIOSFODNN7EXAMPLE", "acme_12345",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----", "xoxb-123456789012-abc"}
	in.Cards[1].Body = strings.Join(secret, " and ")
	in.Cards[1].Title = "Use " + secret[0]
	in.Cards[2].Tags = []string{secret[1]}
	in.Cards[2].Assignee = secret[2]
	in.Docs[0].Text = secret[3]
	in.Name, in.Mask = secret[3], mask
	s, err := Build(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range append(secret, "MIIabc") {
		if strings.Contains(s.Text, x) {
			t.Errorf("%s is shown:\n%s", x, s.Text)
		}
	}
	if s.Masked != len(secret)+5 {
		t.Errorf("%d are masked", s.Masked)
	}
	for _, plain := range []string{"sk-short", "task-force-of-the-whole-company", "AKIA", "a word"} {
		var m Mask
		if got := m.Hide(plain); got != plain {
			t.Errorf("%q became %q", plain, got)
		}
	}
}

// Only the secret is masked, not its label; lookalikes stay.
func TestManyFormsOfSecretsAreMasked(t *testing.T) {
	x := strings.Repeat("a1B2c3D4e5", 4)
	for text, want := range map[string]string{
		"aws_secret_access_key = " + x:                            "aws_secret_access_key = [masked]",
		`"secret_access_key": "` + x + `",`:                       `"secret_access_key": "[masked]",`,
		"see glpat-" + x[:20] + " there":                          "see [masked] there",
		"AIza" + x[:35]:                                           Masked,
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + x:               Masked,
		"sk_live_" + x + " rk_live_" + x + " pk_live_" + x:        "[masked] [masked] [masked]",
		"npm_" + x[:36]:                                           Masked,
		"hf_" + x[:34]:                                            Masked,
		"SG." + x[:22] + "." + x:                                  Masked,
		"dckr_pat_" + x[:27]:                                      Masked,
		"DefaultProtocol=https;AccountKey=" + x + "==;E=x":        "DefaultProtocol=https;AccountKey=[masked];E=x",
		`curl -H "Authorization: Bearer ` + x + `" x`:             `curl -H "Authorization: Bearer [masked]" x`,
		"postgres://ana:p@ssw0rd@db.local/x and http://a.b/c:d@e": "postgres://ana:[masked]@db.local/x and http://a.b/c:d@e",
		"redis://:hunter2@h":                                      "redis://:[masked]@h",
		"password: hunter2hunter2\nDB_PASSWD=s3cretpass\n":        "password: [masked]\nDB_PASSWD=[masked]\n",
		"api_key: 'abcd1234efgh'\nclient_secret=abcdefgh":         "api_key: '[masked]'\nclient_secret=[masked]",
		"Token: " + x:                                             "Token: [masked]",
		"token: sk-" + x:                                          "token: [masked]",
		"-----BEGIN PRIVATE KEY-----\nMII\nabc\n\nText":           "[masked]\n\nText",
		"-----BEGIN EC PRIVATE KEY-----\nMII\n## Next\n":          "[masked]\n## Next\n",
		"-----BEGIN PRIVATE KEY-----\nM\n\nT\n-----BEGIN RSA PRIVATE KEY-----\nN\n\nO\n-----END RSA PRIVATE KEY-----\nU": "[masked]\n\nT\n[masked]\nU",
	} {
		var m Mask
		if got := m.Hide(text); got != want {
			t.Errorf("%q\nbecame %q\nwant   %q", text, got, want)
		}
	}
	for _, plain := range []string{"password: <your password>", "token=$API_TOKEN_OF_MINE", "secret: xxxxxxxxxxxx", "token_limit = 32000000", "api_key: your-key-here", "secret = os.Getenv(x)",
		"password: {{ vault.password }}", "https://user:$PASSWORD@host/", "the tokens of a session", "eyJ.x.y", "-----BEGIN CERTIFICATE-----\nMII\n", "token := readToken(file)", "http://localhost:8080/a@b"} {
		var m Mask
		if got := m.Hide(plain); got != plain || m.hidden > 0 {
			t.Errorf("%q became %q", plain, got)
		}
	}
}

// A labelled value is masked at any length, and whole.
func TestValuesAfterLabelsAreMasked(t *testing.T) {
	for text, want := range map[string]string{
		"password: hunter2":                                   "password: [masked]",
		"password: x":                                         "password: [masked]",
		"- password: hunter2\n- user: ana\n":                  "- password: [masked]\n- user: ana\n",
		`password: "two words"`:                               `password: "[masked]"`,
		`{"password":"a \"b\" c", "user":"ana"}`:              `{"password":"[masked]", "user":"ana"}`,
		"'{\\\"password\\\": \\\"a b\\\"}'":                   "'{\\\"password\\\": \\\"[masked]\\\"}'",
		"passwd: 'it is short'":                               "passwd: '[masked]'",
		"Password: `hunter2`":                                 "Password: `[masked]`",
		"**Password:** hunter2":                               "**Password:** [masked]",
		"**Password**: hunter2":                               "**Password**: [masked]",
		"pwd: hunter22":                                       "pwd: [masked]",
		"dbPwd=abc;Uid=sa;":                                   "dbPwd=[masked];Uid=sa;",
		"DB_PASSWORD=abc123":                                  "DB_PASSWORD=[masked]",
		"export DB_PASS=abc # for staging":                    "export DB_PASS=[masked] # for staging",
		"SECRET_KEY = 'k1'":                                   "SECRET_KEY = '[masked]'",
		"secret=s1":                                           "secret=[masked]",
		"token: abc":                                          "token: [masked]",
		"API key: abc123":                                     "API key: [masked]",
		"apiKey => 'k'":                                       "apiKey => '[masked]'",
		`token := "abc"`:                                      `token := "[masked]"`,
		"password: hunter2 (staging)":                         "password: [masked] (staging)",
		"password: hunter2, user: ana":                        "password: [masked], user: ana",
		"password: hunter2 works again":                       "password: [masked] works again",
		"{user: ana, password: hunter2}":                      "{user: ana, password: [masked]}",
		"mysql --password s3cret -u ana":                      "mysql --password [masked] -u ana",
		"password: |\n  one\n\n  two\nuser: ana\n":            "password: |\n  [masked]\n\n  [masked]\nuser: ana\n",
		"| password | x |":                                    "| password | [masked] |",
		"| staging | DB password | `two words` |\n":           "| staging | DB password | `[masked]` |\n",
		"| key | value |\n|---|---|\n| **API_KEY** | abc |\n": "| key | value |\n|---|---|\n| **API_KEY** | [masked] |\n",
		"| user | password |\n| :-- | --- |\n| ana | a b |\n": "| user | password |\n| :-- | --- |\n| ana | [masked] |\n",
		"pypi-AgEIcHlwaS5vcmcCJDU2Nzg5 there":                 "[masked] there",
		"shpat_0123456789abcdef0123456789abcdef":              "[masked]",
		"dop_v1_0123456789abcdef0123456789abcdef":             "[masked]",
		"ya29.a0AfB_byC-0123456789":                           "[masked]",
	} {
		var m Mask
		if got := m.Hide(text); got != want || m.hidden == 0 {
			t.Errorf("%q\nbecame %q\nwant   %q", text, got, want)
		}
	}
	for _, plain := range []string{
		"The password is required.", "password: required", "Password: must be at least 8 characters", "password: string", "token: string,", `"token": "string"`, "secret: true", "password: null",
		"Reset password: see docs/auth.md", "Tokens: 120", "max_tokens: 4096", "passwords: 3", "the token, then a key: value", "Secret: the user picks one", "password = os.Getenv(x)", "token: ${TOKEN}", "PWD=/home/ana",
		"keyboard: us", "monkey: 5", "primary key: id", "--token is a flag", "--password <PASSWORD>", "if password == other {", "- [ ] password reset", "pypi-publish-action-for-everyone",
		"| password | string |", "| token | the API token of the user |", "| user | password |\n|---|---|\n", "| token | meaning |\n|---|---|\n| semicolon | ends |\n", "| field | type |\n|---|---|\n| password | string |\n",
		"follows `password:`, `secret=` or `token:`, or not", `-v "$PWD:/work"`, `API_KEY = "~/.keys/flowise"`, "${TOKEN:-none}",
		"# Password\n\nIt is checked.", "API_KEY: API key for the service", "[Reset the password](docs/password.md)", "password:\nuser: ana\n", "password: \"\"",
	} {
		var m Mask
		if got := m.Hide(plain); got != plain || m.hidden > 0 {
			t.Errorf("%q became %q", plain, got)
		}
	}
}

func TestAnUnterminatedKeyIsReported(t *testing.T) {
	in := sample()
	in.Cards[1].Body = "-----BEGIN PRIVATE KEY-----\nMIIabc\n"
	s, err := Build(in)
	if err != nil || strings.Contains(s.Text, "MIIabc") || !strings.HasSuffix(s.Text, "\n## Masked\n\n1 private key without END: up to a blank line\n") {
		t.Errorf("%v\n%s", err, s.Text)
	}
}

// For any workspace and limit, the scene must fit, and each card must be in it or counted as left out.
func TestScenesFitAndNameWhatIsLeftOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Input{Name: rapid.StringN(0, 20, 40).Draw(t, "name"), Limit: rapid.IntRange(1, 3000).Draw(t, "limit")}
		n := rapid.IntRange(0, 30).Draw(t, "cards")
		for i := range n {
			c := Card{ID: fmt.Sprintf("card%02d", i), Path: fmt.Sprintf("cards/%d.md", i), Title: rapid.String().Draw(t, "title"),
				Status:   rapid.SampledFrom([]string{"todo", "active", "done", "archived", "odd"}).Draw(t, "status"),
				Priority: rapid.SampledFrom([]string{"", "low", "medium", "high", "critical", "odd"}).Draw(t, "priority"),
				Body:     strings.Repeat(rapid.String().Draw(t, "body"), rapid.IntRange(0, 50).Draw(t, "times"))}
			for range rapid.IntRange(0, 3).Draw(t, "deps") {
				c.DependsOn = append(c.DependsOn, fmt.Sprintf("card%02d", rapid.IntRange(0, n).Draw(t, "dep")))
			}
			in.Cards = append(in.Cards, c)
		}
		s, err := Build(in)
		if err != nil {
			var small *TooSmall
			if !errors.As(err, &small) || small.Needs <= in.Limit {
				t.Fatal(err)
			}
			return
		}
		if len(s.Text) > 4*in.Limit || s.Tokens > in.Limit {
			t.Fatalf("%d bytes of %d", len(s.Text), 4*in.Limit)
		}
		for _, c := range in.Cards {
			belongs := c.Status == "active" || c.Status == "todo"
			shown := strings.Contains(s.Text, c.ID+" "+line(c.Title)+"\n") || strings.Contains(s.Text, "- "+c.ID+" ")
			if belongs && !shown && !slices.Contains(s.LeftCards, c.ID) {
				t.Fatalf("%s is missing in\n%s", c.ID, s.Text)
			}
		}
		if left := len(s.LeftCards); left > 0 && !strings.Contains(s.Text, count(left, "card")) {
			t.Fatalf("%d left out, not said:\n%s", left, s.Text)
		}
	})
}
