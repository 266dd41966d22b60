// What an account consists of, by its currency. The names are the API's.

import { clabe, exactly, iban, routing } from "./check.js";

const bankName = { name: "bankName", label: "Bank", hint: "Its name", optional: true, max: 100 };
const number = { inputmode: "numeric", spaced: true };

export const currencies = {
  usd: {
    label: "United States: US dollar (USD)",
    fields: [
      { name: "routingNumber", label: "Routing number", hint: "9 digits, at the bottom left of a check", check: routing, max: 40, ...number },
      { name: "accountNumber", label: "Account number", max: 40, ...number },
      { name: "accountType", label: "Kind of account", choices: { checking: "Checking", savings: "Savings" } },
      bankName,
    ],
  },
  mxn: {
    label: "Mexico: Mexican peso (MXN)",
    fields: [
      { name: "clabe", label: "CLABE", hint: "18 digits, in your bank’s app or on a statement", check: clabe, max: 40, ...number },
      { name: "legalName", label: "Name on the account", optional: true, max: 200 },
      { name: "rfc", label: "RFC", optional: true, max: 20 },
      bankName,
    ],
  },
  eur: {
    label: "Europe (SEPA): euro (EUR)",
    fields: [
      { name: "iban", label: "IBAN", hint: "It begins with the country: DE89 3704 …", check: iban, spaced: true, max: 60, capitals: true },
      { name: "bic", label: "BIC", hint: "8 or 11 characters", optional: true, max: 20, capitals: true },
      bankName,
    ],
  },
  gbp: {
    label: "United Kingdom: pound (GBP)",
    fields: [
      { name: "sortCode", label: "Sort code", hint: "6 digits", check: exactly(6, "A sort code"), max: 40, ...number },
      { name: "accountNumber", label: "Account number", hint: "8 digits", check: exactly(8, "An account number"), max: 40, ...number },
      bankName,
    ],
  },
  brl: {
    label: "Brazil: real (BRL)",
    fields: [
      { name: "pixKey", label: "Pix key", hint: "CPF, CNPJ, e-mail, phone with +55, or random key", max: 100 },
      { name: "taxId", label: "CPF or CNPJ", optional: true, max: 30 },
      bankName,
    ],
  },
};
