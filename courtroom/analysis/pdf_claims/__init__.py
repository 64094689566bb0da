"""What the report says: its best passages, the features it claims, the files it names."""
