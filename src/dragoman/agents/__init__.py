"""Agents: whatever answers a turn. One contract (`contract`), several ways to an agent; none can speak by itself."""
