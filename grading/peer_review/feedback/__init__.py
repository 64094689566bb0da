"""Reports between students: import, redacted copies for each reader, pages."""
