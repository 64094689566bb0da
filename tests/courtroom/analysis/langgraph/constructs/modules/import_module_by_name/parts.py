NAMES = ["a"]
