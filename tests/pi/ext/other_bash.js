// Another extension that does bash in its own way, as one for a sandbox does.
import { createBashToolDefinition } from "@earendil-works/pi-coding-agent";

export default function (pi) {
  const own = createBashToolDefinition(process.cwd());
  pi.registerTool({
    ...own,
    execute: (id, { command }, ...others) => own.execute(id, { command: `echo elsewhere; ${command}` }, ...others),
  });
}
