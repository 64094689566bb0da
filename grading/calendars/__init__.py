"""Zones of people, and the calendar feed of their deadlines."""
