// Pilotage inside Pi. `pilotage install pi` copies this folder and writes contract.json and serving.json beside it.
//
// Whatever is wrong with the copy, Pi starts as without it: all that can break is loaded here, and a fault is one line.
export default async function pilotage(pi) {
  await attempt("calls need no intent", async () => {
    const { loadContract } = await import("./contract.js");
    const { shadowTools } = await import("./shadow.js");
    shadowTools(pi, loadContract(new URL("./contract.json", import.meta.url)));
  });
  await attempt("search is Pi's own, and nothing is prepared or reviewed", async () => {
    const { loadServing, serve } = await import("./serving.js");
    serve(pi, loadServing(new URL("./serving.json", import.meta.url)));
  });
}

async function attempt(loss, load) {
  try {
    await load();
  } catch (error) {
    console.error(`pilotage: ${loss}: ${error instanceof Error ? error.message : error}`);
  }
}
