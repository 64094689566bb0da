"""Python sources in memory: parsing, symbol table, call graph, symbolic execution."""
