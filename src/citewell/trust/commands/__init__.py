"""The commands of this room, one file each, named after the command."""
