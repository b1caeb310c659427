"""What the agent could use: skills, MCP servers that really run, session files, a host's word."""
