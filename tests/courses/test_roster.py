import pytest
from django_scopes import scope

from grading.core.errors import RosterRefused
from grading.courses.roster import MAX_ROWS, RefusedLine, RosterImport, import_roster
from grading.models import Activity, Enrollment
from tests.factories.people import CohortFactory, EnrollmentFactory, MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db


def enrolled(cohort):
    with scope(organization=cohort.organization):
        return list(
            Enrollment.objects.filter(cohort=cohort)
            .order_by("pk")
            .values_list("email", "name", "student_number")
        )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "roster_no_email"),
        ("name,student_number\nAda,1\n", "roster_no_email"),
        ("email,email\na@example.org,b@example.org\n", "roster_column_twice"),
        ("PK\x03\x04\0\0email", "roster_not_text"),
        ("email\n" + '"' + "x" * 200_000, "roster_unreadable"),
        (
            "email\n" + "".join(f"s{n}@example.org\n" for n in range(MAX_ROWS + 1)),
            "roster_too_long",
        ),
    ],
)
def test_file_that_is_no_roster_is_refused(text, code):
    cohort = CohortFactory()
    with pytest.raises(RosterRefused) as refused:
        import_roster(cohort=cohort, text=text, by=None)
    assert refused.value.code == code
    assert enrolled(cohort) == []


@pytest.mark.parametrize(
    "text",
    [
        "email,name,student_number\nada@example.org,Ada,7\n",
        "Student Number;Name;E-Mail\r\n7;Ada;ADA@example.org\r\n",
        "\ufeffname\temail\tstudent_number\nAda\tada@example.org\t7\n",
        'email,remark,name,student_number\n\n  ada@example.org ,"two\nlines",Ada,7\n',
    ],
    ids=["commas", "semicolons", "tabs and a byte order mark", "more columns than needed"],
)
def test_spreadsheet_layouts_are_parsed(text):
    cohort = CohortFactory()
    assert import_roster(cohort=cohort, text=text, by=None) == RosterImport(1, 0, 0, ())
    assert enrolled(cohort) == [("ada@example.org", "Ada", "7")]


def test_invalid_line_is_reported_with_its_number_and_valid_lines_are_imported():
    cohort = CohortFactory()
    text = (
        "email,name\nada@example.org,Ada\nno address,Bob\n,Cy\n\nada@example.org,Ada again\ndi@example.org,"
        + "D" * 201
    )
    assert import_roster(cohort=cohort, text=text, by=None) == RosterImport(
        created=1,
        updated=0,
        unchanged=0,
        refused=(
            RefusedLine(3, "“no address” is not an email address."),
            RefusedLine(4, "This line has no email address."),
            RefusedLine(6, "ada@example.org is already on line 2."),
            RefusedLine(7, "The name is longer than 200 characters."),
        ),
    )


def test_formula_is_kept_as_text():
    cohort = CohortFactory()
    import_roster(cohort=cohort, text='email,name\nada@example.org,"=HYPERLINK(""x"")"\n', by=None)
    assert enrolled(cohort) == [("ada@example.org", '=HYPERLINK("x")', "")]


def test_second_import_updates_students_and_removes_nobody():
    cohort = CohortFactory()
    EnrollmentFactory(cohort=cohort, email="old@example.org", name="Old")
    EnrollmentFactory(cohort=cohort, email="ada@example.org", name="Ada", student_number="7")
    text = "email,name,student_number\nAda@example.org,Ada Lovelace,\nbob@example.org,Bob,8\nold@example.org,Old,\n"
    assert import_roster(cohort=cohort, text=text, by=None) == RosterImport(1, 1, 1, ())
    assert enrolled(cohort) == [
        ("old@example.org", "Old", ""),
        ("ada@example.org", "Ada Lovelace", "7"),
        ("bob@example.org", "Bob", "8"),
    ]


def test_empty_cell_keeps_a_group_and_hyphen_removes_it():
    cohort = CohortFactory()
    for name in ("ada", "bob", "cyd"):
        EnrollmentFactory(cohort=cohort, email=f"{name}@example.org", name=name, group="Owls")
    text = "email,Team\nada@example.org,\nbob@example.org,Crows\ncyd@example.org,-\ndee@example.org,-\neve@example.org,Owls\n"
    assert import_roster(cohort=cohort, text=text, by=None) == RosterImport(2, 2, 1, ())
    with scope(organization=cohort.organization):
        groups = dict(Enrollment.objects.values_list("email", "group"))
    assert {email.partition("@")[0]: group for email, group in groups.items()} == {
        "ada": "Owls",
        "bob": "Crows",
        "cyd": "",
        "dee": "",
        "eve": "Owls",
    }


def test_group_over_sixty_characters_is_refused():
    text = f"email,group\nada@example.org,{'O' * 61}\n"
    imported = import_roster(cohort=CohortFactory(), text=text, by=None)
    assert imported.refused == (RefusedLine(2, "The group is longer than 60 characters."),)


def test_members_are_linked_and_the_import_is_logged():
    cohort, user = CohortFactory(), UserFactory(email="ada@example.org")
    MembershipFactory(organization=cohort.organization, user=user)
    import_roster(cohort=cohort, text="email\nada@example.org\n", by=user)
    with scope(organization=cohort.organization):
        assert Enrollment.objects.get().user == user
        assert set(Activity.objects.values_list("verb", flat=True)) == {
            "roster.imported",
            "enrollment.linked",
        }


def test_number_of_queries_does_not_depend_on_the_roster(django_assert_num_queries):
    for rows in (1, 30):
        text = "email\n" + "".join(f"s{n}@example.org\n" for n in range(rows))
        cohort = CohortFactory()
        with django_assert_num_queries(11):
            import_roster(cohort=cohort, text=text, by=None)


CLASSROOM = '"identifier","github_username","github_id","name"\n'


def github_names(cohort):
    with scope(organization=cohort.organization):
        rows = Enrollment.objects.filter(cohort=cohort).order_by("email")
        return list(rows.values_list("email", "name", "github_name"))


def test_roster_of_github_classroom_is_imported_as_it_is():
    cohort = CohortFactory()
    text = f'{CLASSROOM}"ada@example.org","ada-l","123456","Ada"\n"ben@example.org","","",""\n'
    assert import_roster(cohort=cohort, text=text, by=None) == RosterImport(2, 0, 0, ())
    assert github_names(cohort) == [
        ("ada@example.org", "Ada", "ada-l"),
        ("ben@example.org", "", ""),
    ]


@pytest.mark.parametrize("identifier", ["ada lovelace", "A-7", "ADA@example.org"])
def test_identifier_of_classroom_matches_a_student_who_keeps_their_name(identifier):
    cohort = CohortFactory()
    EnrollmentFactory(
        cohort=cohort, email="ada@example.org", name="Ada Lovelace", student_number="A-7"
    )
    text = f'{CLASSROOM}"{identifier}","ada-l","1","the countess"\n'
    assert import_roster(cohort=cohort, text=text, by=None) == RosterImport(0, 1, 0, ())
    assert github_names(cohort) == [("ada@example.org", "Ada Lovelace", "ada-l")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('"Eve","eve","1",""', "“Eve” is no email address, and no student"),
        ('"Twin","twin","1",""', "Several students of this course"),
        ('"eve@example.org","../eve","1",""', "“../eve” is no name at GitHub."),
        ('"","eve","1",""', "This line has no email address."),
    ],
)
def test_line_of_classroom_that_names_nobody_is_refused(line, reason):
    cohort = CohortFactory()
    for email in ("t1@example.org", "t2@example.org"):
        EnrollmentFactory(cohort=cohort, email=email, name="Twin")
    result = import_roster(cohort=cohort, text=f"{CLASSROOM}{line}\n", by=None)
    assert [row.sentence.startswith(reason) for row in result.refused] == [True]
    assert [name for _email, _name, name in github_names(cohort)] == ["", ""]


def test_identifier_without_names_at_github_is_no_roster():
    with pytest.raises(RosterRefused) as refused:
        import_roster(cohort=CohortFactory(), text="identifier,name\na@b.org,A\n", by=None)
    assert refused.value.code == "roster_no_email"
