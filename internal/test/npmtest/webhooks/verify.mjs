// Reads lines of {secret, headers, body}, and says of each what the verifier of standardwebhooks makes of it.
import { createInterface } from "node:readline";
import { Webhook } from "standardwebhooks";

for await (const line of createInterface({ input: process.stdin })) {
  const { secret, headers, body } = JSON.parse(line);
  let answer;
  try {
    answer = { event: new Webhook(secret).verify(body, headers) };
  } catch (e) {
    answer = { error: e.message };
  }
  console.log(JSON.stringify(answer));
}
