// What was prepared for an input, put where the agent finds it as if it had asked for it itself (spec P6, P8).
//
// The session's branch is the only memory: a record that has left it, by a switch, an edit or a compaction, is not
// expanded any more, and one that is on it is expanded alike at each request.
const RECORD = "capability-prefetch";
const WITHIN = 62_000;

/** Whether anything is to be prepared, as far as Pi's settings tell; the process reads them strictly. */
export function isOn(settings) {
  const { capabilityPrediction, actionPrediction } = settings?.capabilityDiscovery ?? {};
  return Boolean(capabilityPrediction || actionPrediction);
}

/**
 * Waits for what is prepared for the input; the record is on the branch when it ends. Never longer than the signal.
 * `settled` holds the inputs that have been asked for: nothing more comes of them.
 */
export async function awaitPrepared(bridge, catalog, entries, ctx, settled) {
  const user = entries.findLast(({ sourceEntry }) => sourceEntry.message?.role === "user");
  if (!user || settled.has(user.sourceEntry.id)) return;
  const { api, provider, id } = ctx.model ?? {};
  const asked = { userEntry: user.sourceEntry.id, model: { api, provider, id }, catalog: catalog.told() };
  try {
    await bridge.ask("context", asked, { signal: ctx.signal, within: WITHIN });
  } catch {
    // The request goes out without it.
  }
  settled.add(user.sourceEntry.id);
}

/** The messages with every record of the branch behind its input; none where there is nothing to expand. */
export function expanded(messages, entries, ctx) {
  const records = recordsOf(ctx.sessionManager.getBranch());
  if (records.size === 0) return undefined;
  const told = entries.flatMap(({ sourceEntry, messages: own }) =>
    own.filter(({ role }) => role !== "system").map((message) => ({ id: sourceEntry.id, message })),
  );
  // Another extension has changed the list: places in it cannot be told any more.
  if (told.length !== messages.length) return undefined;
  const asText = refusesBatches(ctx);
  const seen = new Set();
  const after = new Map();
  told.forEach(({ id }, place) => records.has(id) && after.set(id, place));
  return messages.flatMap((message, place) => {
    const { id } = told[place];
    if (after.get(id) !== place || seen.has(id)) return [message];
    seen.add(id);
    return [message, ...records.get(id).flatMap((record) => formOf(record, asText))];
  });
}

function formOf({ prefetch, asText }, wantsText) {
  if (wantsText && asText) return [asText];
  return (prefetch?.rounds ?? []).flatMap(({ messages }) => messages ?? []);
}

/** Records by the entry of their input; the original extension's carriers name none and are not replayed. */
function recordsOf(branch) {
  const removed = new Set(
    branch.filter(({ type, replacement }) => type === "context_edit" && replacement === null).map((edit) => edit.targetId),
  );
  const records = new Map();
  for (const { id, type, customType, data } of branch) {
    if (type !== "custom" || customType !== RECORD || !data?.userEntry || removed.has(id)) continue;
    if (!records.has(data.userEntry)) records.set(data.userEntry, []);
    records.get(data.userEntry).push(data);
  }
  return records;
}

/** Anthropic's interface refuses a batch of calls without a thinking block while the model thinks. */
function refusesBatches(ctx) {
  return ctx.model?.api === "anthropic-messages" && ctx.model.reasoning && ctx.thinkingLevel !== "off";
}
