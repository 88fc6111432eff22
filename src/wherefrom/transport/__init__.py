"""Carries JSON-RPC messages between a client and an MCP server over standard streams; knows nothing of memories."""
