// Pilotage inside Pi. `pilotage install pi` copies this folder and writes contract.json beside it.
//
// Whatever is wrong with the copy, Pi starts as without it: all that can break is loaded here, and a fault is one line.
export default async function pilotage(pi) {
  try {
    const { loadContract } = await import("./contract.js");
    const { shadowTools } = await import("./shadow.js");
    shadowTools(pi, loadContract(new URL("./contract.json", import.meta.url)));
  } catch (error) {
    console.error(`pilotage: calls need no intent: ${error instanceof Error ? error.message : error}`);
  }
}
