"""What stands around a confined process: its walls, its limits, and which of them hold here."""
