// Judges calls by a copy of contract.js: lines of [tool, arguments] on standard input, a line for each on standard
// output, with the arguments or the sentence. A tool named "" is a list of code points: those that are visible.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const { loadContract } = await import(pathToFileURL(`${folder}/contract.js`));
const contract = loadContract(pathToFileURL(`${folder}/contract.json`));

for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const [tool, given] = JSON.parse(line);
  let answer;
  try {
    answer = tool
      ? { accepted: contract.get(tool).accepted(given) }
      : { visible: given.filter((code) => contract.get("bash").visible.test(String.fromCodePoint(code))) };
  } catch (error) {
    answer = { refused: error.message };
  }
  console.log(JSON.stringify(answer));
}
