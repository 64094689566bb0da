"""Tests of the pages of the audited files and of the submitted PDF."""
