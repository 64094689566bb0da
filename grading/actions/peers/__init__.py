"""The MinMax loop: rounds, peers' audits, imported reports, findings and their answers."""
