"""Which providers are configured, in which order they are asked, and what is reported when they fail."""

# What other rooms may import.
API = (
    "answer_reports",
    "model_billing",
    "ports",
    "provider_catalogue",
    "provider_failures",
    "provider_panel",
    "settings",
    "upstream_refusals",
)
