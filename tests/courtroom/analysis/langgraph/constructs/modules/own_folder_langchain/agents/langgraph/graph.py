def names():
    return ["a", "b"]
