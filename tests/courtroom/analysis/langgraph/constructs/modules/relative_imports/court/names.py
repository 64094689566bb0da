NAMES = ("a", "b")
