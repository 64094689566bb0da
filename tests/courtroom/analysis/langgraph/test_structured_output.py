"""Model calls bound to a schema, and retries."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.answer_retries import (
    judges_by_retry,
    narrow_retries,
    retries,
)
from courtroom.analysis.langgraph.judging.structured_calls import (
    classes_of,
    is_idle,
    judging_calls,
    model_calls,
    model_name,
    parsing_calls,
    structured_calls,
)
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import layers_of, symbols_of


def test_bound_calls_have_their_schema_and_line_outside_tests():
    code = """
        chain = (
            llm
            .with_structured_output(schemas.JudicialOpinion, method="json_schema")
        )
        other = ChatOpenAI().bind_tools([JudicialOpinion])
        third = llm.with_structured_output({"type": "object"})
        # llm.with_structured_output(Ghost)
        TEXT = "llm.with_structured_output(Ghost)"
        """
    calls = structured_calls(symbols_of({"src/judges.py": code, "tests/test_x.py": code}))

    assert [(c.source.path, c.line, c.schema) for c in calls] == [
        ("src/judges.py", 4, "schemas.JudicialOpinion"),
        ("src/judges.py", 6, "JudicialOpinion"),
        ("src/judges.py", 7, ""),
    ]


def test_tools_and_parsers_are_told_apart_from_bound_schemas():
    code = """
        model = llm.bind_tools(tools)
        model = llm.bind_tools([JudicialOpinion])
        model = llm.with_structured_output(schema)
        parser = PydanticOutputParser(pydantic_object=JudicialOpinion)
        other = PydanticOutputParser()
        """
    symbols = symbols_of({"src/judges.py": code})
    assert [call.is_of_tools for call in structured_calls(symbols)] == [True, False, False]
    assert [(c.line, c.schema) for c in parsing_calls(symbols)] == [(5, "JudicialOpinion")]


@pytest.mark.parametrize(("asks", "others"), [("chain.invoke(state)", []), ("state", ["route"])])
def test_what_a_router_binds_is_no_call_of_judges_that_ask_themselves(asks, others):
    code = {
        "src/judges.py": f"def prosecutor(state):\n    return {asks}\n",
        "src/router.py": (
            "def route(state):\n    return llm.with_structured_output(Branch).invoke(state)\n"
            "if __name__ == '__main__':\n    route({})\n"
        ),
    }
    _, layers = layers_of(symbols_of(code))
    calls = judging_calls(layers.in_use, layers.judges)
    assert [function.name for function in calls] == others


def test_schema_holds_the_classes_of_its_fields_in_turn():
    models = """
        class Opinion(BaseModel):
            score: int
        class Page(BaseModel):
            rows: list["Opinion"]
            more: Optional[Page]
        class Batch(BaseModel):
            pages: dict[str, Page]
            total: int = 0
        """
    judges = """
        from src.models import Batch
        chain = llm.with_structured_output(Batch)
        other = llm.with_structured_output(Foreign)
        """
    symbols = symbols_of({"src/models.py": models, "src/judges.py": judges})
    held = [
        [site.node.name for site in classes_of(call, symbols)] for call in structured_calls(symbols)
    ]
    assert held == [["Batch", "Page", "Opinion"], []]


ATTEMPTS = (
    "for attempt in range(3):\n"
    "        try:\n"
    "            return model.invoke(p)\n"
    "        except Exception as error:\n"
)
RETRIED = [
    (
        "for attempt in range(3):\n"
        "        try:\n"
        "            return model.invoke(p)\n"
        "        except ValueError:\n"
        "            continue"
    ),
    (
        "while tries < 3:\n"
        "        try:\n"
        "            return model.invoke(p)\n"
        "        except ValueError:\n"
        "            tries += 1"
    ),
    (
        "try:\n"
        "        return model.invoke(p)\n"
        "    except ValueError:\n"
        "        return model.invoke(p + 'again')"
    ),
    (
        "try:\n"
        "        return model.invoke(p)\n"
        "    except ValueError:\n"
        "        return prosecutor(p, tries - 1)"
    ),
    (
        "for i in range(MAX):\n"
        "        answer = model.invoke(p)\n"
        "        if isinstance(answer, Opinion):\n"
        "            return answer"
    ),
    "return model.with_retry().invoke(p)",
    (
        "for attempt in range(3):\n"
        "        try:\n"
        "            return Opinion(**model.invoke(p))\n"
        "        except ValueError:\n"
        "            if attempt < 2:\n"
        "                continue\n"
        "            return fallback"
    ),
    (
        "try:\n"
        "        return parse(model.invoke(p))\n"
        "    except ValidationError:\n"
        "        return parse(other.invoke(p))"
    ),
    "return retry(stop=3)(lambda: model.invoke(p))()",
    "return client.chat.completions.create(p, response_model=Opinion, max_retries=3)",
    (
        "model.bind_tools([Opinion])\n"
        "    for attempt in range(3):\n"
        "        try:\n"
        "            return parse_opinion(model.invoke(p))\n"
        "        except ValueError:\n"
        "            pass"
    ),
    (
        "for attempt in range(3):\n"
        "        try:\n"
        "            return Opinion(**json.loads(client.chat(p)))\n"
        "        except ValueError:\n"
        "            continue"
    ),
    (
        "for attempt in range(3):\n"
        "        answer = model_with_tools.invoke(p)\n"
        "        if answer.tool_calls:\n"
        "            return Opinion(**answer.tool_calls[0]['args'])"
    ),
    (
        "for attempt in range(3):\n"
        "        try:\n"
        "            response = model.bind_tools(tools).invoke(p)\n"
        "            p.append(ToolMessage(tools[0].invoke(response.tool_calls[0])))\n"
        "        except ValueError:\n"
        "            continue"
    ),
    (
        "for attempt in range(3):\n"
        "        try:\n"
        "            answer = model.invoke(p)\n"
        "            opinion = parse(answer.content)\n"
        "            if opinion is not None:\n"
        "                return opinion\n"
        "        except QuotaError:\n"
        "            raise"
    ),
    (
        "for attempt in range(3):\n"
        "        try:\n"
        "            answer = model.invoke(p)\n"
        "            if not answer:\n"
        "                continue\n"
        "            return answer\n"
        "        except Exception:\n"
        "            break"
    ),
    (
        f"{ATTEMPTS}"
        "            if '429' in str(error) or 'invalid json' in str(error):\n"
        "                continue\n"
        "            break"
    ),
    (
        f"{ATTEMPTS}"
        "            if 'quota' not in str(error):\n"
        "                continue\n"
        "            raise"
    ),
]
NOT_RETRIED = [
    (
        f"{ATTEMPTS}"
        "            text = str(error)\n"
        "            if '429' in text or 'resource_exhausted' in text:\n"
        "                continue\n"
        "            break"
    ),
    (
        f"{ATTEMPTS}"
        "            if is_rate_limit(error) and attempt < 2:\n"
        "                sleep(1)\n"
        "            else:\n"
        "                raise"
    ),
    (
        "for attempt in range(3):\n"
        "        try:\n"
        "            answer = model.invoke(p)\n"
        "            if answer.score > 5:\n"
        "                answer.score = 5\n"
        "            return answer\n"
        "        except Exception:\n"
        "            raise"
    ),
    "return model.invoke(p)",
    "try:\n        return model.invoke(p)\n    except ValueError:\n        return fallback",
    (
        "for criterion in rubric:\n"
        "        try:\n"
        "            model.invoke(p)\n"
        "        except ValueError:\n"
        "            opinions.append(3)"
    ),
    (
        "for i in range(len(rubric)):\n"
        "        try:\n"
        "            model.invoke(p)\n"
        "        except ValueError:\n"
        "            pass"
    ),
    "try:\n        return model.invoke(p)\n    except ValueError:\n        return other.invoke(p)",
    (
        "for attempt in range(3):\n"
        "        try:\n"
        "            return model.invoke(p)\n"
        "        except RateLimitError:\n"
        "            wait()"
    ),
    (
        "try:\n"
        "        return model.invoke(p)\n"
        "    except Exception as error:\n"
        "        if error.status_code == 429:\n"
        "            return prosecutor(p)\n"
        "        raise"
    ),
    "return retry(retry=retry_if_exception_type(APITimeoutError))(model.invoke(p))",
    (
        "model.bind_tools([Opinion])\n"
        "    for attempt in range(3):\n"
        "        try:\n"
        "            answer = model.invoke(p)\n"
        "            break\n"
        "        except ValueError:\n"
        "            pass"
    ),
    (
        "for attempt in range(3):\n"
        "        try:\n"
        "            return model.invoke(p)\n"
        "        except ValueError:\n"
        "            raise"
    ),
    "'for attempt in range(3): try: model.invoke(p) except: continue'\n    return model.invoke(p)",
    (
        "for _ in range(3):\n"
        "        response = model.with_structured_output(Opinion).bind_tools(tools).invoke(p)\n"
        "        for call in response.tool_calls:\n"
        "            try:\n"
        "                output = tool.invoke(call['args'])\n"
        "            except ValueError as error:\n"
        "                output = str(error)\n"
        "            p.append(ToolMessage(output))"
    ),
    (
        "while True:\n"
        "        response = model_with_tools.invoke(p)\n"
        "        if not response.tool_calls:\n"
        "            return response\n"
        "        p += [answer_of(call, tool_call_id=call['id']) for call in response.tool_calls]"
    ),
]


def is_retried(body: str, header: str = "") -> bool:
    code = f"{header}def prosecutor(p, tries=0):\n    {body}\n"
    _, layers = layers_of(symbols_of(code))
    return bool(list(retries(layers.judges)))


@pytest.mark.parametrize("body", RETRIED)
def test_a_repeated_model_call_is_a_retry(body):
    assert is_retried(body) is True


@pytest.mark.parametrize("body", NOT_RETRIED)
def test_a_single_model_call_is_no_retry(body):
    assert is_retried(body) is False


def test_a_retry_decorator_is_a_retry():
    assert (
        is_retried("return model.invoke(p)", "from tenacity import retry\n@retry(stop=3)\n") is True
    )


def test_a_retry_around_a_wrapper_of_the_model_is_a_retry():
    code = (
        "def ask(p):\n    return model.invoke(p)\n"
        "def defense(p):\n"
        "    while True:\n"
        "        try:\n"
        "            return ask(p)\n"
        "        except ValueError:\n"
        "            pass\n"
    )
    _, layers = layers_of(symbols_of(code))
    assert [line for _, line in retries(layers.judges)] == [4]


def test_a_retry_in_a_handler_is_shown_where_the_model_is_called_again():
    code = (
        "def defense(p):\n"
        "    try:\n        return model.invoke(p)\n"
        "    except ValueError:\n        return model.invoke(p)\n"
    )
    _, layers = layers_of(symbols_of(code))
    assert [line for _, line in retries(layers.judges)] == [5]


@pytest.mark.parametrize(
    ("caught", "asked", "is_narrow"),
    [
        ("(ValidationError, ValueError)", "model.invoke(p)", True),
        ("json.JSONDecodeError", "model.invoke(p)", True),
        ("(ValidationError, Exception)", "model.invoke(p)", False),
        ("ValueError", "ask(p)", False),
    ],
)
def test_a_loop_that_waits_for_misfits_alone_is_narrow(caught: str, asked: str, *, is_narrow: bool):
    code = (
        "def ask(p):\n    return model.invoke(p)\n"
        "def defense(p):\n    for attempt in range(3):\n        try:\n"
        f"            return {asked}\n        except {caught}:\n            continue\n"
    )
    _, layers = layers_of(symbols_of(code))
    lines = list(retries(layers.judges))
    narrow = [line for _, line in narrow_retries(layers.judges, lines)]
    assert ([line for _, line in lines], narrow) == ([4], [4] * is_narrow)


@pytest.mark.parametrize(("turns", "is_repeated"), [("1", False), ("2", True), ("TURNS", True)])
def test_one_attempt_is_no_retry(turns: str, *, is_repeated: bool):
    body = (
        f"for attempt in range({turns}):\n        try:\n            return model.invoke(p)\n"
        "        except ValueError:\n            continue"
    )
    assert is_retried(body) is is_repeated


def test_a_retry_in_a_helper_counts_for_the_judges_that_call_it():
    code = (
        f"def ask(model, p):\n    {RETRIED[0]}\ndef defense(state):\n    return ask(model, state)\n"
    )
    _, layers = layers_of(symbols_of(code))
    assert [line for _, line in retries(layers.judges)] == [2]


def test_judges_that_ask_once_are_told_from_those_that_ask_again():
    code = (
        f"def ask(p):\n    {RETRIED[0]}\ndef prosecutor(p):\n    return ask(p)\n"
        "def defense(p):\n    return model.invoke(p)\ndef tech_lead(p):\n    return plain(p)\n"
    )
    call_graph, layers = layers_of(symbols_of(code))
    lines = list(retries(layers.judges))
    judges = {j.name: call_graph.reachable_from([j]) for j in layers.judges if j.name != "ask"}
    assert judges_by_retry(judges, lines) == (["prosecutor"], ["defense"])


PROVIDER = """
class Provider:
    def __init__(self, provider="a"):
        self.provider = provider
    def ask(self, text):
        if self.provider == "a":
            return client.generate_content(text)
        elif self.provider == "b":
            return other.create(text)
def prosecutor(state):
    return Provider({chosen}).ask(state)
"""


@pytest.mark.parametrize(
    ("chosen", "lines"), [('provider="b"', [9]), ("provider=name", [7, 9]), ("", [7, 9])]
)
def test_request_of_a_provider_that_the_judges_do_not_choose_is_none_of_theirs(chosen, lines):
    symbols = symbols_of(PROVIDER.format(chosen=chosen))
    source = symbols.codebase.production[0]
    functions = [FunctionRef(source, site) for site in source.functions]
    assert [line for _, line in model_calls(functions)] == lines


JUDGES = """
def prosecutor(state):
    opinion = Opinion(score=1 if state["gaps"] else 5)
    return {{"opinions": [{body}]}}
"""


def model_name_in(body):
    _, layers = layers_of(symbols_of({"src/judges.py": JUDGES.format(body=body)}))
    return model_name(layers.judges)


@pytest.mark.parametrize(
    "body", ["opinion.model_dump()", "opinion", "Opinion.model_validate({})", "AgentState()"]
)
def test_plain_code_of_judges_names_no_model(body):
    assert model_name_in(body) == ""


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("llm.invoke(state)", "invoke"),
        ("get_model()(opinion)", "get_model"),
        ("requests.post(URL)", "post"),
        ("judge_agent.run(opinion)", "judge_agent"),
    ],
)
def test_name_that_may_ask_a_model_leaves_it_open_if_judges_are_plain(body, name):
    assert model_name_in(body) == name


ASK = "return llm.with_structured_output(Opinion).invoke(state)"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"src/old.py": f"def prosecutor(state):\n    {ASK}\n"}, True),
        (
            {
                "src/old.py": f"prosecutor = 1\nclass Old:\n    def ask(self, state):\n        {ASK}\n"
            },
            False,
        ),
        ({"src/old.py": f"@register\ndef prosecutor(state):\n    {ASK}\n"}, False),
        ({"src/idle.py": f"class Old:\n    def ask(self, state):\n        {ASK}\n"}, True),
        (
            {
                "src/old.py": f"def ask(state):\n    {ASK}\n",
                "src/more.py": "from src.old import ask\nTABLE = [ask]\n",
            },
            False,
        ),
    ],
)
def test_bound_call_that_nothing_names_or_imports_is_idle(files, expected):
    symbols = symbols_of(files)
    calls = structured_calls(symbols)
    assert [is_idle(call, symbols, {"src/idle.py"}) for call in calls] == [expected]
