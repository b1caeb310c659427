// Expands records by a copy of preparation.js: {branch, entries, messages, model, thinkingLevel} on standard input, the
// list that Pi would get on standard output; null where it stays as it is.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const { expanded } = await import(pathToFileURL(`${folder}/preparation.js`));

const { branch, entries, messages, model, thinkingLevel } = JSON.parse(readFileSync(0, "utf8"));
const ctx = { model, thinkingLevel, sessionManager: { getBranch: () => branch } };
console.log(JSON.stringify(expanded(messages, entries, ctx) ?? null));
