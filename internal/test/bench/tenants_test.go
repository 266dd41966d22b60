package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	railkit "github.com/railkit/railkit/sdk/go"
	"github.com/railkit/railkit/sdk/go/passkey"
)

// tenant is a workspace of its own, with a key and a passkey. The changes of one
// workspace follow one another, since their record is a chain; those of several
// do not wait for each other.
type tenant struct{ key, passkeyID string }

// workspaces is how many tenants there are: as many as call at once in their flow.
const workspaces = 8

// manyTenants are the workspaces, made where they are first needed.
func (c *customers) manyTenants() (all []tenant, err error) {
	if c.tenants == nil {
		c.tenants, err = c.newTenants()
	}
	return c.tenants, err
}

func (c *customers) newTenants() ([]tenant, error) {
	return many(workspaces, func(i int) (t tenant, err error) {
		var made struct{ ID, Key string }
		if err := c.operate("/v1/integrators",
			`{"name":"Bench","email":"bench@example.com","modules":["signing","payout"]}`, &made); err != nil {
			return t, err
		}
		approve := request(http.MethodPatch, c.url()+"/v1/integrators/"+made.ID+"/kyb", c.keys.AdminKey,
			[]byte(`{"status":"approved"}`), nil, http.StatusOK)
		if err := approve(); err != nil {
			return t, err
		}
		limits := `{"name":"bench","rateLimits":{"standard":1000000,"financial":1000000}}`
		if err := c.operate("/v1/integrators/"+made.ID+"/api-keys", limits, &made); err != nil {
			return t, err
		}
		client := c.clientOf(made.Key)
		sub, err := client.SubOrganizations.Create(context.Background(),
			passkey.Browser{Authenticator: passkey.New(origin)}, railkit.RegisterParams{
				Email: fmt.Sprintf("tenant%d@example.com", i), Name: "Bench",
			})
		if err != nil {
			return t, err
		}
		return tenant{made.Key, sub.PasskeyID}, nil
	})
}

// operate makes something with the operator's key.
func (c *customers) operate(path, body string, made any) error {
	raw, err := answer(http.MethodPost, c.url()+path, c.keys.AdminKey, []byte(body), nil, http.StatusCreated)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, &struct{ Data any }{made})
}

// tenantRenames are the renames of as many workspaces as there are callers.
func (c *customers) tenantRenames(n int) ([]call, error) {
	return c.tenantRenamesAt(n, c.url()+"/v1/signing/passkeys/")
}

func (c *customers) floorTenantRenames(n int) ([]call, error) {
	return c.tenantRenamesAt(n, c.floorURL()+"/passkeys/")
}

func (c *customers) tenantRenamesAt(n int, path string) (all []call, err error) {
	tenants, err := c.manyTenants()
	if err != nil {
		return nil, err
	}
	for i := range n {
		t := tenants[i%len(tenants)]
		header := map[string]string{"Idempotency-Key": uuid.NewString()}
		all = append(all, request(http.MethodPatch, path+t.passkeyID, t.key,
			fmt.Appendf(nil, `{"label":"Label %d"}`, i), header, http.StatusOK))
	}
	return all, nil
}
