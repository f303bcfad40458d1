"""Discord, on discord.py. The folder has the library's name; in it `import discord` is the library."""
