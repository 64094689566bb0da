"""The editor of a rubric's draft: the JSON as a sheet of texts, the sheet as panels, a post as a sheet again."""
