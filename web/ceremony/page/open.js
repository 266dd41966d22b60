// The server: four calls, all to this origin.

// ServerError is an answer that says no, or no answer (status 0).
export class ServerError extends Error {
  constructor(status, answer) {
    super(String(answer?.message ?? ""));
    this.status = status;
    this.code = String(answer?.error ?? "");
    this.reason = String(answer?.details?.reason ?? "");
  }

  // passing: the same request may work later.
  get passing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

export const fetchPin = () => call("/pin.json", { cache: "no-store" });

// openCeremony also gives the server's own time.
export async function openCeremony(token, seqs) {
  const answer = await post("/open", { token, ...(seqs.length > 0 && { seqs }) });
  return { ...answer.data, now: answer.timestamp };
}

export async function finishCeremony(token, given) {
  const answer = await post("/finish", { token, ...given });
  return { ...answer.data, now: answer.timestamp };
}

// leaveCeremony asks where the page leads once the link has ended.
export async function leaveCeremony(token) {
  return (await post("/return", { token })).data;
}

const post = (path, body) => call(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

async function call(path, options) {
  let response, answer;
  try {
    response = await fetch(path, { ...options, credentials: "omit", redirect: "error", referrerPolicy: "no-referrer" });
    answer = await response.json();
  } catch {
    throw new ServerError(response?.ok === false ? response.status : 0);
  }
  if (!response.ok || answer?.success === false) throw new ServerError(response.status, answer);
  return answer;
}
