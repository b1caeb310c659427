// Throwaway: "Forget WORD." takes every earlier input and result with that word out of the context after that turn.
export default function (pi) {
  pi.on("turn_end", (event, ctx) => {
    const branch = ctx.sessionManager.getBranch();
    const given = branch.findLast((entry) => entry.message?.role === "user");
    const [, word] = /Forget (\w+)\./.exec(JSON.stringify(given?.message.content)) ?? [];
    if (!word) return undefined;
    const isMeant = ({ message }) =>
      ["user", "toolResult"].includes(message?.role) && JSON.stringify(message.content).includes(word);
    const meant = branch.filter((entry) => entry !== given && isMeant(entry));
    return { entries: meant.map(({ id }) => ({ type: "context_edit", targetId: id, replacement: null })) };
  });
}
