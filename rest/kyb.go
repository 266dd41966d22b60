package rest

// KYBChange is what a member fills in of the form about its business. Sections that are absent stay as they are.
type KYBChange struct {
	Version         int64               `json:"version" minimum:"0" doc:"Of the form that you read; 0 before there is one. Where somebody has changed one of the same sections since, this is 409 kyb_changed, and nothing is saved"`
	Business        *KYBBusinessChange  `json:"business,omitempty"`
	Addresses       *KYBAddressesChange `json:"addresses,omitempty"`
	Activity        *KYBActivityChange  `json:"activity,omitempty"`
	People          []KYBPersonRequest  `json:"people,omitempty" maxItems:"30" doc:"All associated persons: the list takes the place of the one before"`
	AllOwnersListed *bool               `json:"allOwnersListed,omitempty" doc:"That everybody who owns 25 % or more is among people. It belongs to the section people"`
}

// KYBBusinessChange is the fields of the section business. An absent one stays as it is, and an empty one is cleared.
type KYBBusinessChange struct {
	LegalName          *string `json:"legalName,omitempty" maxLength:"200" doc:"As it is registered"`
	Type               *string `json:"type,omitempty" enum:"cooperative,corporation,llc,other,partnership,sole_prop,trust"`
	RegistrationNumber *string `json:"registrationNumber,omitempty" maxLength:"64" doc:"At the register of companies; shown as its last four characters from then on"`
	TaxID              *string `json:"taxId,omitempty" maxLength:"64" doc:"Tax number of the business; shown as its last four characters from then on"`
}

// KYBAddressesChange is the fields of the section addresses.
type KYBAddressesChange struct {
	Registered *PostalAddressRequest `json:"registered,omitempty" doc:"Where the business is registered"`
	Operating  *PostalAddressRequest `json:"operating,omitempty" doc:"Where it works, if that is elsewhere"`
}

// KYBActivityChange is the fields of the section activity. An absent one stays as it is, and an empty one is cleared.
type KYBActivityChange struct {
	Website           *string `json:"website,omitempty" maxLength:"200" doc:"Address of the business's website, with https://. The one field that may stay empty"`
	Description       *string `json:"description,omitempty" maxLength:"1000" doc:"What the business does"`
	SourceOfFunds     *string `json:"sourceOfFunds,omitempty" enum:"business_loans,grants,inter_company_funds,investment_proceeds,legal_settlement,owners_capital,sale_of_assets,sales_of_goods_and_services,third_party_funds,treasury_reserves"`
	ExpectedVolumeUSD *string `json:"expectedVolumeUsd,omitempty" maxLength:"16" doc:"What is expected to be paid in a month, in US dollars, as a decimal"`
}

// KYBPersonRequest is a person behind the business. What is left out is missing until the form is complete.
type KYBPersonRequest struct {
	ID               string                `json:"id,omitempty" maxLength:"64" doc:"Of a person that is there already; absent for a new one"`
	Name             string                `json:"name" minLength:"1" maxLength:"200"`
	BirthDate        string                `json:"birthDate,omitempty" format:"date"`
	Address          *PostalAddressRequest `json:"address,omitempty" doc:"Where the person lives"`
	OwnershipPercent Number                `json:"ownershipPercent,omitzero" doc:"Of the business, from 0 to 100, with two decimals at most"`
	HasControl       bool                  `json:"hasControl,omitempty" doc:"Decides for the business, as a director does"`
	IsSigner         bool                  `json:"isSigner,omitempty" doc:"May sign for the business"`
}

// KYB is the form as it stands, and what is missing.
type KYB struct {
	State           string        `json:"state" enum:"draft,submitted,in_review,approved,rejected,more_information" doc:"The form can be changed in draft and in more_information"`
	Reason          string        `json:"reason,omitempty" doc:"Of the last decision, in the words of who made it"`
	Version         int64         `json:"version" doc:"Goes up by one with each change"`
	Business        KYBBusiness   `json:"business"`
	Addresses       KYBAddresses  `json:"addresses"`
	Activity        KYBActivity   `json:"activity"`
	People          []KYBPerson   `json:"people"`
	AllOwnersListed bool          `json:"allOwnersListed"`
	Documents       []KYBDocument `json:"documents"`
	Completion      KYBCompletion `json:"completion"`
	UpdatedAt       *string       `json:"updatedAt" format:"date-time" doc:"null: nobody has begun it"`
}

// KYBBusiness is the section business.
type KYBBusiness struct {
	LegalName          string `json:"legalName"`
	Type               string `json:"type"`
	RegistrationNumber string `json:"registrationNumberLastFour" doc:"Its last four characters; empty where there is none"`
	TaxID              string `json:"taxIdLastFour" doc:"Its last four characters; empty where there is none"`
}

// KYBAddresses is the section addresses.
type KYBAddresses struct {
	Registered *PostalAddress `json:"registered"`
	Operating  *PostalAddress `json:"operating"`
}

// KYBActivity is the section activity.
type KYBActivity struct {
	Website           string `json:"website"`
	Description       string `json:"description"`
	SourceOfFunds     string `json:"sourceOfFunds"`
	ExpectedVolumeUSD string `json:"expectedVolumeUsd"`
}

// KYBPerson is a person behind the business.
type KYBPerson struct {
	ID               string         `json:"id" format:"uuid"`
	Name             string         `json:"name"`
	BirthDate        string         `json:"birthDate,omitempty" format:"date" doc:"For admins and managers only"`
	Address          *PostalAddress `json:"address,omitempty" doc:"For admins and managers only"`
	OwnershipPercent Number         `json:"ownershipPercent,omitzero"`
	HasControl       bool           `json:"hasControl"`
	IsSigner         bool           `json:"isSigner"`
}

// KYBDocument is an uploaded file. Its content is shown to nobody but whoever decides about the form.
type KYBDocument struct {
	ID        string `json:"id" format:"uuid"`
	Kind      string `json:"kind" enum:"formation,ownership,address_proof,identity,other"`
	PersonID  string `json:"personId,omitempty" doc:"Whose it is, of the kind identity"`
	Name      string `json:"name"`
	MediaType string `json:"mediaType" enum:"application/pdf,image/png,image/jpeg"`
	Size      int64  `json:"size" doc:"Bytes"`
	CreatedAt string `json:"createdAt" format:"date-time"`
}

// KYBDocumentRequest uploads a file.
type KYBDocumentRequest struct {
	Kind     string `json:"kind" enum:"formation,ownership,address_proof,identity,other"`
	PersonID string `json:"personId,omitempty" maxLength:"64" doc:"Whose it is, of the kind identity"`
	Name     string `json:"name" minLength:"1" maxLength:"100" doc:"Name of the file"`
	Content  string `json:"content" minLength:"1" maxLength:"720000" doc:"The file in base64: a PDF, PNG or JPEG of at most 512 KiB"`
}

// KYBCompletion says what is missing.
type KYBCompletion struct {
	Complete bool         `json:"complete" doc:"The form can be submitted"`
	Sections []KYBSection `json:"sections"`
}

// KYBSection is what is missing of a section.
type KYBSection struct {
	Section  string       `json:"section" enum:"business,addresses,activity,people,documents"`
	Complete bool         `json:"complete"`
	Missing  []KYBMissing `json:"missing"`
}

// KYBMissing is one thing that is missing.
type KYBMissing struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// KYBSubmitRequest hands the form in.
type KYBSubmitRequest struct {
	Version int64 `json:"version" minimum:"1" doc:"Of the form that you read: where somebody has changed it since, this is 409 kyb_changed"`
}

// KYBSubmission is a form that was handed in, and what became of it.
type KYBSubmission struct {
	ID          string  `json:"id" format:"uuid"`
	State       string  `json:"state" enum:"submitted,in_review,approved,rejected,more_information"`
	Reason      string  `json:"reason,omitempty" doc:"Of the decision, in the words of who made it"`
	Version     int64   `json:"version" doc:"Of the form that was handed in"`
	SubmittedAt string  `json:"submittedAt" format:"date-time"`
	DecidedAt   *string `json:"decidedAt" format:"date-time" doc:"null: nobody has decided yet"`
}

// KybRequest is the operator's word about a workspace's business.
type KybRequest struct {
	Status       string `json:"status" enum:"pending,approved,rejected,more_information" doc:"more_information opens the submitted form again, and leaves the workspace pending; pending takes a decision back"`
	Reason       string `json:"reason,omitempty" maxLength:"1000" doc:"The workspace's members read it. Needed to reject a submitted form, or to ask for more"`
	SubmissionID string `json:"submissionId,omitempty" format:"uuid" doc:"The submission that you have read. Where the members have submitted again since, this is 409 kyb_submitted_again, and nothing is decided. Absent: the last one is decided, whatever is in it"`
}
