// Judges webhooks with a library of another language: each message as it came, and each with one letter changed.
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const { secret, messages } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const judge = new Webhook(secret);
const isGood = (body, headers) => {
  try {
    judge.verify(body, headers);
    return true;
  } catch {
    return false;
  }
};
const good = messages.filter((one) => isGood(one.body, one.headers)).length;
const forged = messages.filter((one) => isGood(one.body.replace("{", "{ "), one.headers)).length;
console.log(JSON.stringify({ good, forged }));
