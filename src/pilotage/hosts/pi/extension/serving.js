// One session of Pi, told to the process as it happens, and what the process wants done in it.
import { readFileSync } from "node:fs";
import { Bridge } from "./bridge.js";
import { HostCatalog } from "./catalog.js";
import { awaitPrepared, expanded, isOn } from "./preparation.js";
import { Reminders } from "./reminders.js";
import { answered, ownDefinition, waitForLoaded } from "./search.js";

export function loadServing(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

export function serve(pi, { command, toolSearch }) {
  const catalog = new HostCatalog(pi);
  const reminders = new Reminders();
  const settled = new Set();
  const own = ownDefinition(pi);
  let bridge;
  let loaded;
  let say = (words) => console.error(words);
  /** A handler of ours never throws into Pi: what goes wrong is one warning. */
  const on = (name, handle) =>
    pi.on(name, async (event, ctx) => {
      try {
        return await handle(event, ctx);
      } catch (error) {
        say(`pilotage: ${name}: ${error?.message ?? error}`);
      }
    });

  on("session_start", ({ reason }, ctx) => {
    say = once((words) => (ctx.hasUI ? ctx.ui.notify(words, "warning") : console.error(words)));
    const isAway = (why) =>
      say(`pilotage: search is Pi's own, and nothing is prepared or reviewed: ${why}; try: pilotage doctor`);
    bridge = new Bridge(command, answersOf(pi, ctx), toldOf(reminders, say), isAway);
    bridge.start();
    bridge.tell("session", {
      reason,
      id: ctx.sessionManager.getSessionId(),
      file: ctx.sessionManager.getSessionFile() ?? null,
      cwd: ctx.cwd,
      trusted: ctx.isProjectTrusted(),
    });
    bridge.check();
    if (own) pi.registerTool(answered(own, toolSearch, pi, bridge, catalog));
  });

  on("before_agent_start", async ({ systemPromptOptions }, ctx) => {
    await (loaded ??= waitForLoaded(pi, ctx));
    if (catalog.merge(systemPromptOptions)) bridge?.tell("skills", { skills: catalog.skills });
  });

  on("input", ({ streamingBehavior }) => {
    // The run goes on as if there were no follow-up, until it is delivered.
    if (streamingBehavior === "followUp") return;
    reminders.withdraw();
    bridge?.tell("input", { startsRun: !streamingBehavior });
  });

  on("context", async ({ messages }, ctx) => {
    const { entries } = ctx.sessionManager.buildSessionProjection();
    if (isOn(pi.getSettings())) await awaitPrepared(bridge, catalog, entries, ctx, settled);
    const list = expanded(messages, entries, ctx);
    return list && { messages: list };
  });

  on("message_end", ({ message }) => {
    if (message.role === "user") bridge?.tell("delivered", {});
    if (message.role === "system" && !catalog.check(message))
      say("pilotage: this Pi does not take one section for skills and servers; its own stay");
  });

  on("turn_end", ({ message, toolResults, entries: others }, ctx) => {
    // A message is whole before its calls are cancelled: only the signal tells of that.
    const counts = !["error", "aborted"].includes(message.stopReason) && !ctx.signal?.aborted;
    bridge?.tell("step", { counts });
    bridge?.check();
    // Without calls the run is over: an entry would wait for the next input, which voids it.
    if (!counts || !toolResults.length) return undefined;
    const entries = reminders.take();
    if (!entries.length) return undefined;
    bridge?.tell("reminded", { attempts: entries.map(({ details }) => details.attempt) });
    // What is returned stands for all: what other extensions have for this turn is among it.
    return { entries: [...others, ...entries] };
  });

  on("agent_settled", ({ aborted }) => {
    reminders.withdraw();
    bridge?.tell(aborted ? "cancelled" : "settled", {});
  });

  on("session_tree", () => {
    reminders.withdraw();
    bridge?.tell("switched", {});
  });

  on("session_shutdown", () => bridge?.close());
}

/** What the process may ask of Pi. */
function answersOf(pi, ctx) {
  return {
    append: ({ customType, data }) => {
      pi.appendEntry(customType, data);
      return { entry: ctx.sessionManager.getLeafId() };
    },
    leaf: () => ({ entry: ctx.sessionManager.getLeafId() }),
    auth: async ({ provider, model }) => ({
      auth: (await ctx.modelRegistry.getProviderAuth(provider))?.auth ?? null,
      model: ctx.modelRegistry.find(provider, model) ?? null,
    }),
  };
}

/** What the process may say. */
function toldOf(reminders, say) {
  return {
    inject: ({ message }) => reminders.add(message),
    withdraw: () => reminders.withdraw(),
    warn: ({ words }) => say(words),
  };
}

function once(say) {
  const said = new Set();
  return (words) => {
    if (said.has(words)) return;
    said.add(words);
    try {
      say(words);
    } catch {
      // The session that it was for is gone.
    }
  };
}
