"""Teams that hand in together: forming them, their members, and authorship of their work."""
