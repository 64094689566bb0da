"""Pages: access, form, action, render. Nothing here writes by itself."""
