from langgraph.graph import END, START, StateGraph

if __name__ == "__main__":
    g = StateGraph(dict)
    for name in ("x", "y", "z", "w"):
        g.add_node(name, lambda state: state)
        g.add_edge(START, name)
        g.add_edge(name, END)
    g.compile().invoke({})
