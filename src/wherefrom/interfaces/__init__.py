"""How people, agents and programs reach a memory: MCP and the command line. No logic here."""
