// The server: four calls, all to this origin, with the link's token in the body.

export const rejected = "The bank did not take this account. Look for a mistake, or enter another one";

// ServerError is an answer that says no, or no answer (status 0).
export class ServerError extends Error {
  constructor(status, answer) {
    super(String(answer?.message ?? ""));
    this.status = status;
    this.code = String(answer?.error ?? "");
    this.reason = String(answer?.details?.reason ?? "");
    this.field = String(answer?.details?.field ?? "");
  }

  // passing: the same request may work later.
  get passing() {
    return [0, 409, 429].includes(this.status) || this.status >= 500;
  }

  // wrong names the field that the server or its partner found wrong, and why.
  get wrong() {
    if (this.code === "partner_refused") return { name: this.field, constraint: "The payment partner does not take it" };
    if (this.code === "bank_account_not_usable") return { name: "", constraint: rejected };
    const [, name, constraint] = /^Validation failed: (?:account\.)?(\w+) (.+)$/s.exec(this.message) ?? [];
    return this.code === "validation_failed" && name ? { name, constraint } : null;
  }
}

export const openInvite = (token) => post("invites/open", { token });

export const submitAccount = (token, account) => post("invites/submit", { token, account });

export const openAlert = (token) => post("alerts/open", { token });

export const freezeAccount = (token, accountId) => post("alerts/freeze", { token, accountId });

async function post(act, body) {
  let response, answer;
  try {
    response = await fetch(`/v1/payout/${act}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
      credentials: "omit", redirect: "error", referrerPolicy: "no-referrer", cache: "no-store",
    });
    answer = await response.json();
  } catch {
    throw new ServerError(response?.ok === false ? response.status : 0);
  }
  if (!response.ok || answer?.success === false) throw new ServerError(response.status, answer);
  return answer.data;
}
