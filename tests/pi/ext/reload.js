// Throwaway: `/again` loads all extensions anew.
export default function (pi) {
  pi.registerCommand("again", { description: "Load anew", handler: (_args, ctx) => ctx.reload() });
}
