package skill

import (
	"cmp"
	"context"
	"strconv"

	"github.com/railkit/railkit/clock"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/rest"
	"github.com/railkit/railkit/x402"
	"github.com/railkit/railkit/x402/shop"
)

const (
	x402Version = 2
	payWithin   = 60 // seconds in which a payment has to be settled
)

// Bazaar lists the skills that are on offer: public, healthy, and for a price.
func (s *Service) Bazaar(ctx context.Context, p auth.Principal, o Offers) (rest.Bazaar, error) {
	o.Environment = p.Environment
	rows, total, err := s.c.Store.Bazaar(ctx, o)
	b := rest.Bazaar{
		X402Version: x402Version, Items: make([]rest.BazaarItem, 0, len(rows)),
		Pagination: rest.BazaarPage{Limit: o.Page.Limit, Offset: o.Page.Offset, Total: total},
	}
	for _, k := range rows {
		b.Items = append(b.Items, s.item(ctx, k, cmp.Or(s.c.Origin, o.Origin)))
	}
	return b, err
}

// CallURL is where a skill is called and paid for, at an origin of the API.
func CallURL(origin, id string) string { return origin + "/v1/action/skills/" + id + "/execute" }

func (s *Service) item(ctx context.Context, k Skill, origin string) rest.BazaarItem {
	item := rest.BazaarItem{
		Resource: CallURL(origin, k.ID), Type: "http", X402Version: x402Version, Accepts: []rest.BazaarOffer{},
		LastUpdated: clock.ISO(k.UpdatedAt), Metadata: rest.BazaarMetadata{
			SkillID: k.ID, Name: k.Name, Description: k.Description, Subtype: string(k.Subtype), Method: "POST",
			SchemaInput: object(k.Input), SchemaOutput: object(k.Output),
		},
	}
	if k.Subtype == MCP {
		item.Type = "mcp"
	}
	n, token, ok := s.usdc(k.Network)
	if sponsor, err := shop.SponsorOn(ctx, s.c.Sponsors, n); ok && err == nil { // else nobody can pay it now
		item.Accepts = append(item.Accepts, rest.BazaarOffer{
			Scheme: "exact", Network: x402.NetworkID(n), Amount: strconv.FormatInt(k.CostUSDC, 10),
			Asset: token.Address, PayTo: k.PayTo, MaxTimeoutSeconds: payWithin,
			Extra: rest.BazaarExtra{Name: token.DomainName, Version: token.DomainVersion, FeePayer: sponsor},
		})
	}
	return item
}
