"""Exchange among peers: reports given, received and answered, as pages, facts and files."""
