NAMES = ["a", "b"]


def read(state):
    return state
