"""Forms that are read from an address: filters and pages. What means nothing there is said, and asks for nothing."""

from __future__ import annotations

from django import forms


class AddressForm(forms.Form):
    """Beside a field that is shown stands what is wrong with it; `misread` says it of those that are not."""

    def misread(self) -> list[str]:
        """A sentence for each hidden part of the address that means nothing."""
        hidden = [name for name in self.errors if name in self.fields and self[name].is_hidden]
        return [self.meaningless(name) for name in hidden]

    def meaningless(self, name: str) -> str:
        return f"“{name}={self.data.get(name, '')[:40]}” means nothing here and was left aside."
