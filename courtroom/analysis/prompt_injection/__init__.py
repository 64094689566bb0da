"""Words to the graders, in a repository or a report, under whatever disguise."""
