def read(state):
    return state
