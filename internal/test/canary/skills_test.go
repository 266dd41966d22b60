package canary_test

import (
	"context"

	railkit "github.com/railkit/railkit/sdk/go"
)

// skills registers some with a secret, has it shown to a server that cannot be reached, and makes mistakes with it.
func (p *platform) skills() {
	p.t.Helper()
	ctx, c := context.Background(), p.client(p.keys.BenchKey)
	const key, token = "canary-skill-key-7c1d", "canary-skill-token-91ab"
	p.cage.AddText("skill's key", key)
	p.cage.AddText("skill's token", token)
	for kind, config := range map[string]railkit.SkillAuth{
		"api_key": {Key: key, Header: "X-Weather-Key"}, "bearer": {Token: token},
	} {
		k, err := c.Skills.Create(ctx, railkit.SkillRequest{
			Name: "Weather", URL: "https://weather.example.invalid/", AuthType: kind, AuthConfig: &config,
			IsPublic: true,
		})
		p.must(err)
		if _, err := c.Skills.Test(ctx, k.ID, map[string]any{"city": "Lisbon"}); err == nil {
			p.t.Error("a server that is not there answered")
		}
		elsewhere := "https://other.example.invalid/"
		_, err = c.Skills.Update(ctx, k.ID, railkit.SkillUpdate{URL: &elsewhere, AuthConfig: &config})
		p.must(err)
		_, err = c.Skills.Get(ctx, k.ID)
		p.must(err)
	}
	for _, config := range []string{
		`{"key":"` + key + `","token":"` + token + `"}`, `{"token":"` + token + `\n"}`,
		`{"header":"` + key + `\u0000"}`, `{"other":"` + token + `"}`, `"` + token + `"`,
		`{"token":"` + token + `","token":"` + token + `"}`,
	} {
		p.do("POST", "/v1/action/skills",
			`{"name":"W","url":"https://weather.example.invalid/","auth_type":"bearer","auth_config":`+config+`}`)
	}
}
