// node sample.js FILE.mechanism.json INPUT INPUT ... > reports.csv: draws a report for each input, a label of the file
// or, where it has no labels, a number from 0 on. `mechdesign estimate FILE.mechanism.json reports.csv` reads them.
// Claims and checksum are not verified here: `mechdesign audit FILE.mechanism.json` does that, once.
const { readFileSync } = require("node:fs");
const { randomBytes } = require("node:crypto");

function fail(message) {
  console.error(`sample.js: ${message}`);
  process.exit(2);
}

function parsed(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    return fail(`${path} is no mechanism file (${error.message})`);
  }
}

const [path, ...inputs] = process.argv.slice(2);
if (inputs.length === 0) fail("give a mechanism file and at least one input");
const file = parsed(path);
if (file?.schema !== "mechdesign mechanism") fail(`${path} is no mechanism file`);
if (![2, 3, 4].includes(file.schema_version)) fail(`${path} has schema version ${file.schema_version}, not 2, 3 or 4`);
if (file.denominator_bits !== 53) fail(`${path} has probabilities over another number than 2^53`);

const cumulative = file.numerators.map((row, x) => {
  if (row.length !== file.outputs.length) fail(`row ${x} of ${path} has not one number for each output`);
  if (!row.every((k) => Number.isInteger(k) && k >= 0)) fail(`row ${x} of ${path} has a number that is no integer from 0 on`);
  const sums = [];
  for (const k of row) sums.push((sums.at(-1) ?? 0n) + BigInt(k));
  if (sums.at(-1) !== 1n << 53n) fail(`row ${x} of ${path} does not sum to 2^53`);
  return sums;
});

const labels = file.question.problem.labels;
if (labels && labels.length !== cumulative.length) fail(`${path} has not one label for each row`);

function rowOf(input) {
  const x = labels ? labels.indexOf(input) : /^[0-9]+$/.test(input) ? Number(input) : -1;
  const allowed = labels ? `one of ${labels.slice(0, 8).join(", ")}` : `a number from 0 to ${cumulative.length - 1}`;
  return cumulative[x] ?? fail(`there is no input ${JSON.stringify(input)}; give ${allowed}`);
}

const rows = inputs.map(rowOf); // every input is known before the first report is drawn
console.log(`# mechdesign reports ${file.checksum}\nreport`);
for (const row of rows) {
  const bits = randomBytes(8).readBigUInt64LE() >> 11n; // 53 random bits of the operating system
  let output = 0;
  for (const sum of row) output += Number(sum <= bits); // the whole row, so that the time does not depend on the output
  console.log(output);
}
