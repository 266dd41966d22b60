package rest

// ReceivedNotice is the answer to a notice.
type ReceivedNotice struct {
	EventID string `json:"eventId" doc:"The partner's"`
	First   bool   `json:"first" doc:"False where it came before: it is answered alike and does nothing"`
}
