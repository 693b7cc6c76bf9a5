package tools

import "testing"

func TestNamesAreDerivedFromDescriptions(t *testing.T) {
	for description, want := range map[string]string{
		"Create a research agent that searches the web and summarizes findings": "Research Agent",
		"Build me an agent":                      "Agent",
		"customer support bot, which is polite.": "Customer Support Bot",
		"I want a flow to triage tickets":        "Flow",
		"Please make something":                  "Something",
		"... !":                                  "Agentflow",
		"one two three four five six seven":      "One Two Three Four Five Six",
	} {
		if got := Name(description); got != want {
			t.Errorf("%q is called %q, want %q", description, got, want)
		}
	}
}
