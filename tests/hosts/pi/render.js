// Draws calls as Pi's own terminal does, with its own tools and with those of the extension, in whose folder this file
// is put: [{tool, arguments, result}, …] on standard input, [[own lines, ours], …] on standard output.
import { readFileSync } from "node:fs";
import * as pi from "@earendil-works/pi-coding-agent";
import { loadContract } from "./contract.js";
import { shadowTools } from "./shadow.js";

const folder = process.cwd();
pi.initTheme("dark");
const ours = new Map();
const handlers = [];
const resolvers = [];
const stand = {
  on: (_name, handler) => handlers.push(handler),
  getAllTools: () => [],
  getSettings: () => ({}),
  registerTool: (tool) => ours.set(tool.name, tool),
  registerToolRenderer: (resolver) => resolvers.push(resolver),
};
shadowTools(stand, loadContract(new URL("./contract.json", import.meta.url)));
for (const handler of handlers) handler({}, { cwd: folder, hasUI: false });

// A second copy of Pilotage draws nothing twice.
const shown = (name) => resolvers[0](name, () => resolvers[0](name, () => ours.get(name)));

const own = {
  bash: pi.createBashToolDefinition(folder),
  edit: pi.createEditToolDefinition(folder),
  read: pi.createReadToolDefinition(folder),
  write: pi.createWriteToolDefinition(folder),
};

async function drawn(definition, { tool, arguments: given, result }) {
  const component = new pi.ToolExecutionComponent(tool, "c1", given, {}, definition, { requestRender() {} }, folder);
  const steps = [];
  const look = () => steps.push(component.render(90).map((line) => line.trimEnd()));
  look();
  component.setArgsComplete();
  await new Promise((done) => setTimeout(done, 50));
  look();
  component.markExecutionStarted();
  component.updateResult(result);
  look();
  component.setExpanded(true);
  look();
  return steps;
}

const answers = [];
for (const call of JSON.parse(readFileSync(0, "utf8"))) {
  const { intent: _intent, rationale: _rationale, ...bare } = call.arguments;
  answers.push([await drawn(own[call.tool], { ...call, arguments: bare }), await drawn(shown(call.tool), call)]);
}
process.stdout.write(JSON.stringify(answers), () => process.exit(0));
