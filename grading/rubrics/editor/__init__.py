"""Editor of a rubric's draft: its JSON as the texts of a form, the texts as panels, and back."""
