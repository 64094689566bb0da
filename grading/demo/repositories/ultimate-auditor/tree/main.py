from src.graph import build_graph
from src.judges import judge
from src.justice import chief_justice

if __name__ == "__main__":
    print("running the StateGraph with parallel judges", build_graph())
    print("verdict", chief_justice(judge(None)))
