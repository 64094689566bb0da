"""The editor of a rubric's draft: the JSON as a texts of texts, the texts as panels, a post as a texts again."""
