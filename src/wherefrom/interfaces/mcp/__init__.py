"""The MCP server: each tool is one verb of `Memory`."""
