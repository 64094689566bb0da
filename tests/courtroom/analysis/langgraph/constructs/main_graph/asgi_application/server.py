from flows import build

try:
    from fastapi import FastAPI
except ImportError:
    class FastAPI:
        def post(self, path):
            return lambda function: function

api = FastAPI()
app = build()


@api.post("/run")
async def run(payload: dict):
    return await app.ainvoke(payload)
