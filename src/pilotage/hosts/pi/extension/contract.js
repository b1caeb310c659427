// The contract as contract.json has it: which calls it refuses, in whose words, and what it repairs. Nothing of Pi.
import { readFileSync } from "node:fs";

const CONTROL = /[\u0000-\u001f]/g;
const IN_STRINGS = /"(?:[^"\\]|\\.)*"/gs;

/** The contract of each tool by its name; throws where the file is missing or not whole. */
export function loadContract(file) {
  const { tools, visible, sentence } = JSON.parse(readFileSync(file, "utf8"));
  const pattern = new RegExp(visible, "u");
  return new Map(Object.entries(tools).map(([name, told]) => [name, new ToolContract(told, pattern, sentence)]));
}

/** What one tool's calls must carry. */
export class ToolContract {
  constructor({ description, parameters, faults }, visible, sentence) {
    this.description = description;
    this.parameters = parameters;
    this.halves = Object.entries(faults);
    this.visible = visible;
    this.sentence = sentence;
    if (!description || !parameters.properties || !this.halves.length || !sentence.opening)
      throw new Error("contract.json is not whole");
  }

  /**
   * The arguments repaired, by the host's own `prepare` first and then without what the schema does not know; throws
   * the contract's sentence where provenance is missing.
   *
   * A call without any argument passes: Pi hands over an empty object where the arguments were no JSON, and has words
   * of its own for both.
   */
  accepted(given, prepare) {
    const mended = withEscapedBreaks(given);
    const prepared = prepare ? prepare(mended) : mended;
    if (!isObject(prepared) || Object.keys(prepared).length === 0) return prepared;
    const repaired = known(prepared, this.parameters);
    const messages = this.halves.flatMap(([half, faults]) => this.fault(repaired, half, faults));
    const { opening, between, end } = this.sentence;
    if (messages.length) throw new Error(opening + messages.join(between) + end);
    return repaired;
  }

  /** The message on one half of provenance, in a list; an empty one where nothing is wrong. */
  fault(given, half, faults) {
    const value = given[half];
    if (value === undefined) return this.parameters.required.includes(half) ? [faults.missing] : [];
    if (typeof value === "string") return this.visible.test(value) ? [] : [faults.empty];
    return [faults[kindOf(value)]];
  }
}

/** What the schema knows of a value: no extra keys, no optional field that is null or an empty number. */
function known(value, schema) {
  if (Array.isArray(value) && schema.items) return value.map((item) => known(item, schema.items));
  if (!isObject(value) || !schema.properties) return value;
  const kept = {};
  for (const [name, told] of Object.entries(schema.properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const isOptional = !schema.required.includes(name);
    const isBlank = typeof value[name] === "string" && told.type !== "string" && !value[name].trim();
    if (!isOptional || (value[name] !== null && !isBlank)) kept[name] = known(value[name], told);
  }
  return kept;
}

/** Edits in JSON text whose strings hold raw line breaks, which Pi itself does not read, with the breaks escaped. */
function withEscapedBreaks(given) {
  if (!isObject(given) || typeof given.edits !== "string") return given;
  const edits = given.edits.replace(IN_STRINGS, (text) => text.replace(CONTROL, escaped));
  return edits === given.edits ? given : { ...given, edits };
}

function escaped(control) {
  return `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The JSON type of a value that is no text. */
function kindOf(value) {
  if (value === null || typeof value === "boolean") return String(value);
  return Array.isArray(value) ? "array" : typeof value;
}
