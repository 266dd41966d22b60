package action_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/railkit/railkit/internal/test/npmtest"
	"github.com/railkit/railkit/kit/widget/action"
)

// Metadata of the builders, and of each type that the action kit's own validator can check, pass it as they come. It
// knows few networks, and no network of ours beside them; its check of flows fails on every flow.
func TestWidget_ActionKitOfNPM(t *testing.T) {
	packages := npmtest.InstallWidget(t)
	b := action.Builder{Rules: sandbox}
	texts := action.Texts{Title: "Tip", Description: "A tip", URL: "https://app.example/tip"}
	ana := "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	native, err := b.TransferNative(texts, action.Place{Name: "fuji"}, ana, "0.5")
	if err != nil {
		t.Fatal(err)
	}
	m, err := sandbox.Read([]byte(strings.Replace(whole, `"source":"base-sepolia"`, `"source":"fuji"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	var all []json.RawMessage
	for _, m := range []action.Metadata{native, single(m, 0), single(m, 1), single(m, 2)} {
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, raw)
	}
	all = append(all, json.RawMessage(strings.Replace(string(all[0]), `"to":"0x7`, `"to":"0x`, 1)))
	problems, err := packages.CheckMetadata(all...)
	if err != nil || len(problems) != len(all) {
		t.Fatal(problems, err)
	}
	for i, problem := range problems {
		if (problem != "") != (i == len(all)-1) {
			t.Errorf("%s: %q", all[i], problem)
		}
	}
}

// single is metadata with one of its actions.
func single(m action.Metadata, i int) action.Metadata {
	m.Actions = m.Actions[i : i+1]
	return m
}
