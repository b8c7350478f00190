"""What a client is offered: the choice and schemas of tools, prompts, resources, completions, instructions."""
