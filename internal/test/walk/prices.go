package walk

// overridePrice asks without a stamp, and waits for a vote then.
func overridePrice(w *World) Request {
	return w.post("/v1/signing/prices/override", map[string]any{
		"asset": "ETH", "usd": 3000, "subOrganizationId": w.Owner().Sub.SubOrganizationID,
	})
}
