// Pi's own tool_search, answered by Pilotage: same name, schema and activation; Pi's ranking where there is no answer.
import { createToolSearchExtension } from "@earendil-works/pi-coding-agent";

const WITHIN = 62_000;

/** Pi's definition of the tool, taken from the factory that would register it. */
export function ownDefinition(pi) {
  let found;
  const stand = new Proxy(pi, {
    get(target, name) {
      if (name === "registerTool") return (definition) => (found = definition);
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  createToolSearchExtension()(stand);
  return found;
}

/** The tool with our answer in place of Pi's. */
export function answered(own, description, pi, bridge, catalog) {
  return {
    ...own,
    description,
    async execute(id, params, signal, onUpdate, ctx) {
      let answer;
      try {
        const asked = { query: params.query, limit: params.limit, callId: id, catalog: catalog.told() };
        answer = await bridge.ask("search", asked, { signal, within: WITHIN });
      } catch {
        if (signal?.aborted) throw new Error("Operation aborted");
        return own.execute(id, params, signal, onUpdate, ctx);
      }
      if (answer.failure) throw new Error(answer.failure);
      if (answer.load.length) pi.setActiveTools([...new Set([...pi.getActiveTools(), ...answer.load])]);
      return { content: [{ type: "text", text: answer.text }], details: answer.details };
    },
  };
}

/** Waits until the tools that a resumed session had loaded are registered again, for as long as Pi waits itself. */
export async function waitForLoaded(pi, ctx, { within = 10_000, every = 25 } = {}) {
  const wanted = loadedBefore(ctx.sessionManager.getBranch()).filter((name) => name.startsWith("mcp__"));
  const end = Date.now() + within;
  const isMissing = () => {
    const there = new Set(pi.getAllTools().map((tool) => tool.name));
    return wanted.some((name) => !there.has(name));
  };
  while (wanted.length && isMissing() && Date.now() < end && !ctx.signal?.aborted)
    await new Promise((resolve) => setTimeout(resolve, every));
}

function loadedBefore(branch) {
  const names = new Set();
  for (const { type, message } of branch) {
    if (type !== "message" || message?.role !== "system") continue;
    for (const { name } of message.toolsAdded ?? []) names.add(name);
    for (const { name } of message.toolsRemoved ?? []) names.delete(name);
  }
  return [...names];
}
