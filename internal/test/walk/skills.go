package walk

import (
	"net/http"

	railkit "github.com/railkit/railkit/sdk/go"
)

const skillsPath = "/v1/action/skills"

func createSkill(w *World) Request {
	return w.post(skillsPath, map[string]any{
		"name": w.name("Skill"), "url": "https://skill.example.com/run", "auth_type": "bearer",
		"auth_config": map[string]string{"token": "t-1"}, "cost_usdc": 1000, "payTo": w.Owner().Address.Address,
		"network": "base",
	})
}

// skill is a private one of the workspace.
func (w *World) skill() (k railkit.Skill) {
	w.T.Helper()
	w.must(createSkill(w), &k)
	return k
}

func (w *World) skillPath() string { return skillsPath + "/" + w.skill().ID }

func updateSkill(w *World) Request {
	return w.by(http.MethodPatch, w.skillPath(), map[string]any{"cost_usdc": 2000})
}

func deleteSkill(w *World) Request { return w.by(http.MethodDelete, w.skillPath(), nil) }

// executeSkill calls a free skill: the chain's node, which the tests' servers may ask.
func executeSkill(w *World) Request {
	w.T.Helper()
	var k railkit.Skill
	w.must(w.post(skillsPath, map[string]any{
		"name": w.name("Chain"), "url": w.App.Devnet.RPCURL("base"), "method": "POST",
	}), &k)
	return w.post(skillsPath+"/"+k.ID+"/execute", map[string]any{"input": map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "eth_chainId", "params": []string{},
	}})
}

func addAgentTool(w *World) Request {
	return w.post(w.agentPath()+"/tools", map[string]any{"skill_id": w.skill().ID})
}

func removeAgentTool(w *World) Request {
	w.T.Helper()
	path, k := w.agentPath()+"/tools", w.skill()
	w.must(w.post(path, map[string]any{"skill_id": k.ID}), nil)
	return w.by(http.MethodDelete, path+"/"+k.ID, nil)
}
