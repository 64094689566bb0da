"""@entrypoint and @task."""
# expect: @entrypoint
from langgraph.func import entrypoint, task


@task
def read(text):
    return text


@entrypoint()
def app(text):
    return read(text).result()
