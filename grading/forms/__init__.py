"""What people type, checked as far as a form can; the actions have the last word."""
