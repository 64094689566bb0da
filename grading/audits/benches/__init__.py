"""Models and budgets of an organization: who judges, who pays, and what was spent."""
