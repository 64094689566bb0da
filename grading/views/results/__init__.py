"""Pages of grades, appeals, agreement and exports."""
