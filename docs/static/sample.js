// node sample.js FILE.mechanism.json INPUT INPUT ...: prints the number of an output for each number of an input.
const { readFileSync } = require("node:fs");
const { randomBytes } = require("node:crypto");

const [path, ...inputs] = process.argv.slice(2);
const file = JSON.parse(readFileSync(path, "utf8"));
if (file.schema !== "mechdesign mechanism" || file.denominator_bits !== 53) throw new Error("another kind of file");
const cumulative = file.numerators.map((row) => row.reduce((sums, k) => [...sums, (sums.at(-1) ?? 0n) + BigInt(k)], []));

for (const input of inputs) {
  const row = cumulative[Number(input)];
  if (row === undefined) throw new Error(`there is no input ${input}`);
  const bits = randomBytes(8).readBigUInt64LE() >> 11n; // 53 random bits of the operating system
  let output = 0;
  for (const sum of row) output += Number(sum <= bits); // the whole row, so that the time does not depend on the output
  console.log(output);
}
