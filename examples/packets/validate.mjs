// A packet validator in JavaScript, from the published schemas alone: it judges shape, not the rules.
//
//     npm install ajv@8 ajv-formats@3
//     dragoman packet schema uai.agent.ack.v1 > schemas/uai.agent.ack.v1.json      (and the others that you need)
//     node validate.mjs schemas < questions.jsonl
//
// It speaks the protocol of `dragoman packet conformance`: a JSON line in for each packet, a JSON line out. Each schema
// file is self-contained: the envelope stands in its `$defs`.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const require = createRequire(resolve(process.cwd(), "node_modules", "any.js"));
const Ajv2020 = require("ajv/dist/2020.js").default;
const addFormats = require("ajv-formats").default;

/** Compiled validators by profile id. */
function load(folder) {
  const found = new Map();
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".json"))) {
    const schema = JSON.parse(readFileSync(join(folder, name), "utf8"));
    const ajv = new Ajv2020({ allErrors: true, strict: false });
    addFormats(ajv); // formats are assertions here, as they must be
    found.set(schema.title, ajv.compile(schema));
  }
  return found;
}

/** The packet of some bytes: strict UTF-8 and JSON, or null. */
function read(bytes) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return null;
  }
}

function judge(validators, question) {
  const packet = read(Buffer.from(question.packet_base64, "base64"));
  if (packet === null) return { result: "fail", rules: ["json_invalid"] };
  const validator = validators.get(packet?.profile);
  if (validator === undefined) return { result: "fail", rules: ["profile_unsupported"] };
  return validator(packet) ? { result: "pass", rules: [] } : { result: "fail", rules: ["schema_violation"] };
}

const validators = load(process.argv[2] ?? "schemas");
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(judge(validators, JSON.parse(line))));
}
