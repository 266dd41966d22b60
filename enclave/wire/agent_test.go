package wire

import (
	"encoding/json"
	"os"
	"testing"
)

func TestAgents_VectorsOfTheContract(t *testing.T) {
	raw, err := os.ReadFile("testdata/agent-hmac.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct{ Name, Secret, Method, Path, Timestamp, Body, BodyHash, MAC string }
	if err := json.Unmarshal(raw, &vectors); err != nil || len(vectors) != 2 {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	for _, v := range vectors {
		if got := Digest(v.Body); got != v.BodyHash {
			t.Errorf("%s: body hash %s", v.Name, got)
		}
		if got := AgentMAC(v.Secret, AgentMessage(v.Method, v.Path, v.Timestamp, v.BodyHash)); got != v.MAC {
			t.Errorf("%s: %s", v.Name, got)
		}
	}
}
