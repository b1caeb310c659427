// Merges a prompt's sections by a copy of catalog.js, in whose folder this file is put: {skills, selectedTools, tools,
// servers, takes} on standard input; on standard output what Pi would write, and whether the extension goes on merging.
import { readFileSync } from "node:fs";
import { HostCatalog } from "./catalog.js";

const { skills, selectedTools, tools, servers, takes } = JSON.parse(readFileSync(0, "utf8"));
const catalog = new HostCatalog({ getAllTools: () => tools, getActiveTools: () => [] });
const options = { skills, selectedTools, sections: {} };
catalog.merge(options);
// Pi's own MCP extension comes later; a Pi that does not take the section drops what it does not know.
if (servers) options.sections.mcp_servers = servers;
const sections = { preamble: "p", ...options.sections };
if (!takes) delete sections.capabilities;
const goesOn = catalog.check({ sections });
const next = { skills, selectedTools, sections: {} };
catalog.merge(next);
console.log(JSON.stringify({ sections, goesOn, left: { skills: next.skills.length, own: Object.keys(next.sections) } }));
