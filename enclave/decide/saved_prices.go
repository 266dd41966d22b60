package decide

type savedQuote struct {
	Asset       string `json:"asset"`
	USD         string `json:"usd"`
	AsOfMs      int64  `json:"asOfMs"`
	ExpiresAtMs int64  `json:"expiresAtMs"`
	Anchor      string `json:"anchor"`
	AnchorMs    int64  `json:"anchorMs"`
}

type savedDataFee struct {
	Chain       string `json:"chain"`
	Signed      int64  `json:"signed"`
	AsOfMs      int64  `json:"asOfMs"`
	ExpiresAtMs int64  `json:"expiresAtMs"`
	Anchor      int64  `json:"anchor"`
	AnchorMs    int64  `json:"anchorMs"`
}

type savedOverride struct {
	Asset    string `json:"asset"`
	USD      string `json:"usd"`
	AnchorMs int64  `json:"anchorMs"`
	UntilMs  int64  `json:"untilMs"`
}

func (q *quote) save(asset string) savedQuote {
	return savedQuote{asset, q.usd, q.asOfMs, q.expiresAtMs, q.anchor, q.anchorMs}
}

func (f dataFee) save(slug string) savedDataFee {
	return savedDataFee{slug, f.signed, f.asOfMs, f.expiresAtMs, f.anchor, f.anchorMs}
}

func (b *priceBook) save(out *saved) {
	out.SheetMs = b.sheetMs
	for asset, q := range b.quotes {
		out.Quotes = append(out.Quotes, q.save(asset))
	}
	for slug, f := range b.dataFees {
		out.DataFees = append(out.DataFees, f.save(slug))
	}
}

func (b *priceBook) restore(in saved) error {
	b.sheetMs = in.SheetMs
	for _, v := range in.DataFees {
		b.dataFees[v.Chain] = dataFee{
			signed: v.Signed, asOfMs: v.AsOfMs, expiresAtMs: v.ExpiresAtMs, anchor: v.Anchor, anchorMs: v.AnchorMs,
		}
	}
	for _, v := range in.Quotes {
		q := &quote{usd: v.USD, asOfMs: v.AsOfMs, expiresAtMs: v.ExpiresAtMs, anchor: v.Anchor, anchorMs: v.AnchorMs}
		if err := q.read(b.moves(v.Asset)); err != nil {
			return err
		}
		b.quotes[v.Asset] = q
	}
	return nil
}
