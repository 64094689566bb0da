def names():
    import graph

    return [f"{graph.PREFIX}1", f"{graph.PREFIX}2"]
