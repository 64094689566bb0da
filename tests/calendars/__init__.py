"""Tests of zones and calendars."""
