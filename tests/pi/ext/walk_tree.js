// Throwaway: `/back N` goes to before the Nth user message of the branch, `/back-told N` leaves a summary behind.
export default function (pi) {
  const back = (summarize) => async (args, ctx) => {
    const inputs = ctx.sessionManager.getBranch().filter((e) => e.type === "message" && e.message.role === "user");
    await ctx.navigateTree(inputs[Number(args.trim()) - 1].id, { summarize });
  };
  pi.registerCommand("back", { description: "Go back", handler: back(false) });
  pi.registerCommand("back-told", { description: "Go back and leave a summary", handler: back(true) });
}
