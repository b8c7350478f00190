"""The tools of this room, one file each, named after the tool."""
