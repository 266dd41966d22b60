package faucet

import (
	"context"
	"errors"
	"testing"

	"github.com/railkit/railkit/chain"
	"github.com/railkit/railkit/kit/signing/nodes"
	"github.com/railkit/railkit/platform/command"
	"github.com/railkit/railkit/rest"
)

// bank gives once under a name, as the devnet's faucet does.
type bank map[string]int

func (b bank) Fund(_ context.Context, once, _, _, _, _ string) (string, error) {
	b[once]++
	return "0x1", nil
}

// dying is a database that dies before its first commit.
type dying struct{ commits int }

func (d *dying) Commit(
	ctx context.Context, _ *command.Command, fn func(context.Context, Tx) (command.Reply, error),
) (command.Answer, error) {
	if d.commits++; d.commits == 1 {
		return command.Answer{}, errors.New("the database is away")
	}
	r, err := fn(ctx, nil)
	return command.Answer{Status: r.Status}, err
}

func (*dying) Work(context.Context, string, func(context.Context, Tx) (command.Audit, error)) error {
	return nil
}

// A call that is repeated under its key, because the database died after the faucet gave, asks the faucet under the
// same name; another request, and one without a key, under another one or none.
func TestFundIsNamed(t *testing.T) {
	given := bank{}
	s := New(&dying{}, nodes.NewSet(chain.Networks(chain.Sandbox), nil))
	fund := func(key *command.Key) error {
		_, err := s.Fund(t.Context(), &command.Command{Key: key}, given, rest.FaucetRequest{
			Chain: "base", Address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", Asset: "USDC", Amount: "1",
		})
		return err
	}
	if err := fund(&command.Key{Hash: "a", Request: "r"}); err == nil {
		t.Error("the database was there")
	}
	for _, key := range []*command.Key{{Hash: "a", Request: "r"}, {Hash: "a", Request: "s"}, nil} {
		if err := fund(key); err != nil {
			t.Error(err)
		}
	}
	if given["a-r"] != 2 || given["a-s"] != 1 || given[""] != 1 || len(given) != 3 {
		t.Errorf("the faucet heard %v", given)
	}
}
