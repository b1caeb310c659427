// Throwaway: entries of every kind that an extension can leave in a session.
export default function (pi) {
  pi.on("session_start", () => pi.appendEntry("notes.opened", { by: "leave_notes" }));
  pi.on("tool_result", (event) => {
    pi.appendEntry("notes.tool", { id: event.toolCallId });
    pi.sendMessage(
      { customType: "notes.shown", content: "The survey of 2026 is final.", display: true, details: { year: 2026 } },
      { triggerTurn: false },
    );
  });
  pi.registerCommand("mark", {
    description: "Label the last entry",
    handler: async (args, ctx) => pi.setLabel(ctx.sessionManager.getLeafId(), args.trim()),
  });
  pi.registerCommand("forget", {
    description: "Take the first user message out of the context at the end of the next turn",
    handler: async () => {
      forget = true;
    },
  });
  let forget = false;
  pi.on("turn_end", (event, ctx) => {
    if (!forget) return undefined;
    forget = false;
    const [first, second] = ctx.sessionManager.getBranch().filter((e) => e.message?.role === "user");
    return {
      entries: [
        { type: "context_edit", targetId: first.id, replacement: null },
        { type: "context_edit", targetId: second.id, replacement: { content: "A shorter question." } },
      ],
    };
  });
}
