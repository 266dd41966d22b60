package record

// Commits are numbers of database transactions. Changes of several callers are committed by one.
type Commits struct {
	Transactions, Changes uint64
	Alone                 uint64 // changes that left the transaction of others, who would have waited for them
	Again                 uint64 // transactions that were run once more: another one was in the way
	GaveUp                uint64 // those whose turn never came
	Waiting               int    // changes, now
}
