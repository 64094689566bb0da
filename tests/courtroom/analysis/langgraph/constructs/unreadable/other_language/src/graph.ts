import { StateGraph, START, END } from "@langchain/langgraph";

const graph = new StateGraph(State).addNode("a", read).addEdge(START, "a").addEdge("a", END);
export const app = graph.compile();
