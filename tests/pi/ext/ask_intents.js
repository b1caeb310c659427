// Throwaway: the four tools ask for an intent, and scripted reminders are given as a
// review would give them. The product's own extension is another file.
import { readFileSync } from "node:fs";
import {
  createBashToolDefinition,
  createEditToolDefinition,
  createReadToolDefinition,
  createWriteToolDefinition,
} from "@earendil-works/pi-coding-agent";

const EXAMPLES = {
  bash: '{"command": "…", "intent": "…"}',
  read: '{"path": "…", "intent": "…"}',
  write: '{"path": "…", "content": "…", "intent": "…"}',
  edit: '{"path": "…", "edits": [{"oldText": "…", "newText": "…"}], "intent": "…"}',
};

const PROVENANCE = {
  intent: {
    type: "string",
    minLength: 1,
    description:
      "MANDATORY. Where this action is heading; for an investigation, the doubt under test and the observation that would decide it.",
  },
  rationale: {
    anyOf: [{ type: "string", minLength: 1 }, { type: "null" }],
    description: "Optional. One sentence that points to the evidence behind it.",
  },
};

/** One of Pi's own tools, with provenance asked for and taken off again before Pi's own code runs. */
function shadowed(tool) {
  const schema = JSON.parse(JSON.stringify(tool.parameters));
  return {
    ...tool,
    parameters: {
      ...schema,
      properties: { ...PROVENANCE, ...schema.properties },
      required: ["intent", ...schema.required],
    },
    prepareArguments(given) {
      const prepared = tool.prepareArguments ? tool.prepareArguments(given) : given;
      if (typeof prepared?.intent !== "string")
        throw new Error(
          `Contract: intent is missing: say where this action is heading, as in ${EXAMPLES[tool.name]}`,
        );
      return prepared;
    },
    execute(id, { intent, rationale, ...rest }, ...others) {
      return tool.execute(id, rest, ...others);
    },
  };
}

/** The text that the agent reads. */
function told(pairs) {
  const items = pairs.map(([deviation, source]) => `- ${deviation}\n  Source: ${source}`);
  return `A review of the last steps says:\n${items.join("\n")}`;
}

export default function (pi) {
  const folder = process.cwd();
  const tools = [createReadToolDefinition, createBashToolDefinition, createEditToolDefinition, createWriteToolDefinition];
  for (const create of tools) pi.registerTool(shadowed(create(folder)));

  const script = JSON.parse(readFileSync(process.env.RIG_REMINDERS, "utf8"));
  let step = 0;
  let attempt = 0;
  pi.on("message_end", (event) => {
    if (event.message.role === "user") step = 0;
  });
  pi.on("turn_end", (event, ctx) => {
    if (event.message.stopReason === "error" || event.message.stopReason === "aborted") return undefined;
    step += 1;
    const ids = event.toolResults.map((result) => result.toolCallId);
    const due = script.find((reminder) => ids.includes(reminder.after));
    if (!due) return undefined;
    attempt += 1;
    const inputs = ctx.sessionManager.getBranch().filter((e) => e.type === "message" && e.message.role === "user");
    const draft = {
      type: "custom_message",
      customType: "capability-trajectory-warning",
      content: told(due.pairs),
      display: true,
      details: { version: 1, inputId: inputs.at(-1).id, attempt, step: step - (step % 5) || step, pairs: due.pairs },
    };
    return { entries: [draft] };
  });
}
