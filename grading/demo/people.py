"""People of the demo cohort. They and their work are invented."""

from dataclasses import dataclass

INSTITUTE, INSTITUTE_SLUG = "Northfield Institute", "northfield"
PASSWORD = "northfield-demo"  # noqa: S105 -- public, for local demos only


@dataclass(frozen=True, slots=True)
class Person:
    email: str
    first_name: str
    last_name: str

    @property
    def name(self) -> str:
        return f"{self.first_name} {self.last_name}"


@dataclass(frozen=True, slots=True)
class Student(Person):
    """Student of the demo.

    `repository` names the story; `refs` are submitted one by one ("" for the newest commit).
    """

    number: str
    repository: str
    shows: str
    refs: tuple[str, ...] = ("",)


INSTRUCTOR = Person("instructor@demo.test", "Imogen", "Hale")
STUDENTS = (
    Student("ada@demo.test", "Ada", "Okonjo", "N-1041", "tribunal", "careful work"),
    Student(
        "bram@demo.test",
        "Bram",
        "Visser",
        "N-1042",
        "code-court",
        "half of it, in two attempts",
        refs=("first-draft", ""),
    ),
    Student(
        "celia@demo.test", "Celia", "Marchetti", "N-1043", "review-pipeline", "a graph in one line"
    ),
    Student(
        "dov@demo.test",
        "Dov",
        "Lindqvist",
        "N-1044",
        "quick-auditor",
        "a shell fed with the user's address",
    ),
    Student(
        "esra@demo.test",
        "Esra",
        "Yilmaz",
        "N-1045",
        "auditor-final",
        "good code in a single commit",
    ),
    Student(
        "finn@demo.test",
        "Finn",
        "Calloway",
        "N-1046",
        "ultimate-auditor",
        "keywords without a program",
    ),
)
