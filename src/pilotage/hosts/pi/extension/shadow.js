// Pi's own four tools with the contract in front of them; execution and rendering stay Pi's.
import {
  createBashToolDefinition,
  createEditToolDefinition,
  createReadToolDefinition,
  createWriteToolDefinition,
  SettingsManager,
} from "@earendil-works/pi-coding-agent";
import { drawProvenance } from "./rendering.js";

/**
 * Shadows the tools once a session starts: only then can settings be read and other extensions' tools be seen. Of two
 * extensions that name the same tool while they are loaded, Pi takes neither, and does not start without a terminal.
 */
export function shadowTools(pi, contract) {
  pi.registerToolRenderer?.(drawProvenance([...contract.keys()]));
  pi.on("session_start", (_event, ctx) => {
    try {
      registerFree(pi, contract, ctx);
    } catch (error) {
      say(ctx, `pilotage: calls need no intent: ${error instanceof Error ? error.message : error}`);
    }
  });
}

/** Registers all tools but those that another extension has: what it does in Pi's place must not be undone. */
function registerFree(pi, contract, ctx) {
  const registered = new Map(pi.getAllTools().map((tool) => [tool.name, tool]));
  const tools = ownTools(ctx.cwd, pi).map((own) => shadowed(own, contract.get(own.name)));
  for (const tool of tools) {
    const { sourceInfo, description } = registered.get(tool.name) ?? {};
    if (!sourceInfo || sourceInfo.source === "builtin") pi.registerTool(tool);
    else if (description !== tool.description)
      say(ctx, `pilotage: ${tool.name} is another extension's and needs no intent: ${sourceInfo.path}`);
  }
}

/** Pi's tools as Pi makes them for itself, with what it gives them from its settings. */
function ownTools(folder, pi) {
  const settings = SettingsManager.inMemory(pi.getSettings());
  const shell = { shellPath: settings.getShellPath(), commandPrefix: settings.getShellCommandPrefix() };
  return [
    createBashToolDefinition(folder, shell),
    createEditToolDefinition(folder),
    createReadToolDefinition(folder, { autoResizeImages: settings.getImageAutoResize() }),
    createWriteToolDefinition(folder),
  ];
}

/** One of Pi's tools: declared as the contract says, called without provenance. */
function shadowed(own, contract) {
  return {
    ...own,
    description: contract.description,
    parameters: contract.parameters,
    // Whether a tool is on stays what the person chose for Pi's own tool of that name.
    defaultActive: false,
    prepareArguments: (given) => contract.accepted(given, own.prepareArguments),
    execute: (id, { intent: _intent, rationale: _rationale, ...bare }, ...others) => own.execute(id, bare, ...others),
  };
}

function say(ctx, words) {
  if (ctx.hasUI) ctx.ui.notify(words, "warning");
  else console.error(words);
}
