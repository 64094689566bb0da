"""Symbolic execution of Python code: abstract values, and an evaluator that never runs the code.

Modules import in one direction: `interpreter` imports `expressions` and `statements`, these import
the narrower handlers, and every handler imports `evaluator`, the abstract class at the bottom.
Its subclasses, which know LangGraph or run a Chief Justice under given scores, change the steps that
it names.
"""
