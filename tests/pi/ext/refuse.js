// Throwaway: a guard that blocks commands with its own reason, and one that breaks.
export default function (pi) {
  pi.on("tool_call", (event) => {
    const command = event.input?.command ?? "";
    if (command.startsWith("git push")) return { block: true, reason: "Pushing needs a person: ask first." };
    if (command.startsWith("curl")) throw new Error("the address list could not be read");
    return undefined;
  });
}
