"""The service: the verbs over HTTP, for agents as tools of MCP and for programs as JSON."""
