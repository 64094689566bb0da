"""Facts of any project, in any language: files, tools, commit pace, and peer exchange."""
