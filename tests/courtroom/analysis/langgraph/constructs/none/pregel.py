"""A Pregel program without a StateGraph."""
# expect: Pregel
from langgraph.channels import EphemeralValue
from langgraph.pregel import NodeBuilder, Pregel

app = Pregel(
    nodes={"one": NodeBuilder().subscribe_only("a").do(lambda x: x).write_to("b")},
    channels={"a": EphemeralValue(str), "b": EphemeralValue(str)},
    input_channels=["a"],
    output_channels=["b"],
)
