// The errors that a widget has words for. Their texts are for who looks at the page.

// Refusal is why a widget does not do what was asked of it. To try again changes nothing.
export class Refusal extends Error {}

// Unreachable is a server that gives no answer that can be used. To ask again may help.
export class Unreachable extends Error {}

// Invalid is what the user has to change, by the name of the field.
export class Invalid extends Error {
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

// WalletError is what a wallet refused. The same may be tried again.
export class WalletError extends Error {}
