package tron

// genesis are the ids of the first blocks, by cluster. The ends of them are the networks' chain ids.
var genesis = map[string]string{
	"mainnet": "00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc",
	"nile":    "0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc",
	"shasta":  "0000000000000000de1aa88295e1fcf982742f773e0419c5a9c134c994a9059e",
}

// Genesis is the id of a cluster's first block, in hex; "" of one that is not known.
func Genesis(cluster string) string { return genesis[cluster] }
