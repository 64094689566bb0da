"""How the audited project judges: its bench, its prompts, its rules, where its scores come from."""
