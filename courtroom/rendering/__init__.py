"""Reports as Markdown, with the graph as Mermaid."""
