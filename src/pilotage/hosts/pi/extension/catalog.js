// What the agent could use: told to the process as Pi knows it, and to the main model as one section of its prompt.
import { readFileSync, statSync } from "node:fs";
import { parseFrontmatter } from "@earendil-works/pi-coding-agent";

const SECTION = "capabilities";
const SKILL_HINT = {
  read: "Use the read tool to load a skill's file when the task matches its description.",
  bash: "Use bash to load a skill's file when the task matches its description.",
};
const LONGEST_SKILL_FILE = 1024 * 1024;

export class HostCatalog {
  constructor(pi) {
    this.pi = pi;
    this.skills = [];
    this.files = new Map();
    this.canMerge = true;
  }

  /** All tools with their state, and all skills, as Pi knows them now. */
  told() {
    const active = new Set(this.pi.getActiveTools());
    const tools = this.pi.getAllTools().map(({ name, description, parameters, exposure, namespace, sourceInfo }) => ({
      ...{ name, description, parameters, exposure, namespace, active: active.has(name) },
      origin: sourceInfo?.path ?? sourceInfo?.source,
    }));
    return { tools, skills: this.skills.map((skill) => ({ ...skill, short: this.short(skill.filePath) })) };
  }

  /**
   * Takes note of the skills, and puts skills, MCP servers and deferred tools into one section of the prompt; whether
   * the skills are other ones than before.
   *
   * Pi's own MCP extension writes its section after this, so a setter keeps its text, and the one section is made when
   * Pi reads it. Pi's own skill section is not written where it is given no skills.
   */
  merge(options) {
    const before = JSON.stringify(this.skills);
    this.skills = (options.skills ?? []).filter((skill) => !skill.disableModelInvocation).map(known);
    if (this.canMerge) this.replace(options);
    return JSON.stringify(this.skills) !== before;
  }

  replace(options) {
    const { sections, selectedTools = [] } = options;
    const reader = ["read", "bash"].find((name) => selectedTools.includes(name));
    const parts = { servers: sections.mcp_servers ?? "" };
    const text = () => this.section(reader, selectedTools, parts.servers);
    Object.defineProperty(sections, "mcp_servers", {
      configurable: true,
      enumerable: false,
      get: () => undefined,
      set: (value) => (parts.servers = value ?? ""),
    });
    Object.defineProperty(sections, SECTION, { configurable: true, enumerable: true, get: text });
    options.skills = [];
    this.text = text;
  }

  /** Looks at the prompt that came of it: a Pi that does not behave so gets its own sections back. */
  check({ sections = {} }) {
    const isWhole = "preamble" in sections;
    if (isWhole && this.text?.() && !sections[SECTION]) this.canMerge = false;
    return this.canMerge;
  }

  /** The section's text; an empty one, which Pi leaves out, where there is nothing to tell. */
  section(reader, selected, servers) {
    const parts = [];
    if (reader && this.skills.length) parts.push(this.skillList(reader));
    if (servers) parts.push(servers);
    const hidden = selected.includes("tool_search") ? this.deferred() : [];
    if (hidden.length) parts.push(["Further tools (tool_search):", ...hidden].join("\n"));
    if (parts.length && selected.includes("tool_search"))
      parts.push("tool_search finds all of these by a wish in plain words or by an exact name, and loads tools.");
    return parts.join("\n\n");
  }

  skillList(reader) {
    return [
      "The following skills provide specialized instructions for specific tasks.",
      SKILL_HINT[reader],
      "Resolve relative paths against the skill's directory (parent of SKILL.md). Use absolute paths in tool calls.",
      "",
      "<available_skills>",
      ...this.skills.map(
        (skill) =>
          `  <skill>\n    <name>${escaped(skill.name)}</name>\n` +
          `    <description>${escaped(this.short(skill.filePath) ?? skill.description)}</description>\n` +
          `    <location>${escaped(skill.filePath)}</location>\n  </skill>`,
      ),
      "</available_skills>",
    ].join("\n");
  }

  /** A line for each deferred tool that is no MCP server's; loaded ones stay, as the prompt would change with them. */
  deferred() {
    return this.pi
      .getAllTools()
      .filter(({ exposure, namespace }) => exposure === "deferred" && !namespace)
      .map(({ name, description }) => `- ${name}: ${String(description ?? "").split("\n", 1)[0].slice(0, 200)}`);
  }

  /** A skill's own short description, read again only when its file changed. */
  short(path) {
    try {
      const { mtimeMs, size } = statSync(path);
      const before = this.files.get(path);
      if (before?.mtimeMs === mtimeMs && before.size === size) return before.text;
      const told = size > LONGEST_SKILL_FILE ? {} : parseFrontmatter(readFileSync(path, "utf8")).frontmatter;
      const text = told?.metadata?.["catalog-description"];
      const kept = typeof text === "string" && text.trim() ? text.trim() : undefined;
      this.files.set(path, { mtimeMs, size, text: kept });
      return kept;
    } catch {
      return undefined;
    }
  }
}

function known({ name, description, filePath }) {
  return { name, description, filePath };
}

function escaped(text) {
  const signs = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };
  return String(text).replace(/[&<>"']/g, (sign) => signs[sign]);
}
