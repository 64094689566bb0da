"""The door for programs: /api/v1/. The same actions and permissions as the pages, said in JSON."""
