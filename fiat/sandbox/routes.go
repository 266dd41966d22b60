package sandbox

import "net/http"

// Handler serves the API and the controls.
func (s *Server) Handler() http.Handler { return s.handler }

func (s *Server) routes() http.Handler {
	const customer = "/v0/customers/{customer}"
	mux := http.NewServeMux()
	for pattern, h := range map[string]http.HandlerFunc{
		"POST /v0/customers":     s.making(createCustomer),
		"GET /v0/customers":      s.reading(listCustomers),
		"GET " + customer:        s.reading(getCustomer),
		"GET /v0/exchange_rates": s.reading(getRate),

		"POST " + customer + "/external_accounts":                      s.making(createAccount),
		"GET " + customer + "/external_accounts":                       s.reading(listAccounts),
		"GET " + customer + "/external_accounts/{account}":             s.reading(getAccount),
		"PUT " + customer + "/external_accounts/{account}":             s.changing(updateAccount),
		"DELETE " + customer + "/external_accounts/{account}":          s.changing(deactivateAccount),
		"POST " + customer + "/external_accounts/{account}/reactivate": s.making(reactivateAccount),
		"POST " + customer + "/external_accounts/{account}/deactivate": s.making(deactivateAccount),

		"POST " + customer + "/wallets":         s.making(createWallet),
		"GET " + customer + "/wallets":          s.reading(listWallets),
		"GET " + customer + "/wallets/{wallet}": s.reading(getWallet),

		"POST " + customer + "/liquidation_addresses":                 s.making(createLiquidation),
		"GET " + customer + "/liquidation_addresses":                  s.reading(listLiquidations),
		"GET " + customer + "/liquidation_addresses/{address}":        s.reading(getLiquidation),
		"GET " + customer + "/liquidation_addresses/{address}/drains": s.reading(listDrains),
		"GET " + customer + "/drains":                                 s.reading(listCustomerDrains),
		"GET /v0/liquidation_addresses":                               s.reading(listAllLiquidations),

		"POST " + customer + "/virtual_accounts":                      s.making(createVirtual),
		"GET " + customer + "/virtual_accounts":                       s.reading(listVirtuals),
		"GET " + customer + "/virtual_accounts/{virtual}":             s.reading(getVirtual),
		"POST " + customer + "/virtual_accounts/{virtual}/deactivate": s.making(deactivateVirtual),
		"POST " + customer + "/virtual_accounts/{virtual}/reactivate": s.making(reactivateVirtual),
		"GET " + customer + "/virtual_accounts/{virtual}/history":     s.reading(listActivities),

		"POST /v0/transfers":             s.making(createTransfer),
		"GET /v0/transfers":              s.reading(listTransfers),
		"GET /v0/transfers/{transfer}":   s.reading(getTransfer),
		"GET " + customer + "/transfers": s.reading(listTransfers),
	} {
		mux.HandleFunc(pattern, h)
	}
	s.controls(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { s.answer(w, 0, nil, errNotFound) })
	return mux
}
