"""The audit report as pages show it; shared by audits, appeals, grades, peers and rubrics."""
