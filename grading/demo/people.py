"""Who is in the demo cohort. All of them are invented, and so is their work."""

from dataclasses import dataclass

INSTITUTE, INSTITUTE_SLUG = "Northfield Institute", "northfield"
PASSWORD = "northfield-demo"  # noqa: S105 -- printed with the logins; the demo exists on one person's own machine


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
    """`repository` names their story; `refs` is handed in one by one ("" for the newest commit)."""

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
