package flowise

import (
	"net/http/httptest"
	"testing"
)

func TestTheServerAnswersAsRecorded(t *testing.T) {
	s := &Server{Credential: "22222222-2222-4222-8222-222222222222"}
	server := httptest.NewServer(s)
	defer server.Close()
	answers, err := ask(server.URL, map[string]string{"full": Key, "weak": WeakKey, "wrong": "no key at all"}, map[string]string{"credential": s.Credential, "stub": server.URL})
	if err != nil {
		t.Fatal(err)
	}
	compareAnswers(t, answers)
}

func TestTheFlowsThatFlowiseShipsAreThere(t *testing.T) {
	if n := len(Flows()); n != 37 {
		t.Errorf("%d flows", n)
	}
}
