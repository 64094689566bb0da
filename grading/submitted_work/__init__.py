"""Work as it was audited: its files, beside an earlier attempt's, and its report as a PDF."""
