"""What the style page shows in the parts of real pages: invented, never stored, and of nobody."""
