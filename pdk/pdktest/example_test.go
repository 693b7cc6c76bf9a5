package pdktest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// printed stands in for the *testing.T of a test: it prints the messages of failures.
type printed struct{ testing.TB }

func (printed) Helper()                           {}
func (printed) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (printed) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// t stands in for the t of a test function.
var t = printed{}

func ExampleNew() {
	doc := pdktest.New(t, domain(bugs{}), `"Bag"`)
	fmt.Println(doc.Do("add one", "add two"))
	doc.Undo(1)
	fmt.Printf("%s\n", doc.Save())
	// Output:
	// + one
	// + two
	// one
}

// Laws runs each op and checks that the domain keeps what every domain promises.
func ExampleLaws() {
	pdktest.Laws(t, domain(bugs{}), "add one", "add two", "remove one")
	fmt.Println("kept")
	// Output: kept
}

// A World handles the requests of a domain.
func ExampleWorld() {
	weather := &pdk.Domain[*string]{
		Name: "weather", Title: "Weather", Version: "1.0.0", Summary: "Asks for the weather.", Extensions: []string{".weather"},
		New:   func(*abi.NewRequest) (*string, error) { return new(string), nil },
		Open:  func(_ string, data []byte) (*string, []string, error) { s := string(data); return &s, nil, nil },
		Save:  func(m *string) ([]byte, error) { return []byte(*m), nil },
		State: func(*string) abi.State { return abi.State{Digest: "weather"} },
		Wants: []abi.Want{{Kind: abi.WantHTTP, Name: "api", Base: "https://weather.example", Reason: "asks for the weather", Reads: true}},
		Queries: []pdk.Query[*string]{pdk.NewQuery("weather CITY", "the weather of a city", func(v *pdk.View[*string], a pdk.Args) (string, error) {
			res, err := v.HTTP("api", pdk.Get("now", a.Text(0)))
			if err == nil {
				err = res.Check()
			}
			if err != nil {
				return "", err
			}
			return strings.TrimSpace(string(res.Body)), nil
		})},
	}
	world := &pdktest.World{HTTP: map[string]http.Handler{"api": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "rain, as "+r.URL.Path+" says\n")
	})}}
	fmt.Println(pdktest.New(t, weather, "", world).Query("weather Oslo"))
	// Output: rain, as /now/Oslo says
}
