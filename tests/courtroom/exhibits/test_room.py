"""The room of a criterion: filled in order, no line twice, the rest named."""

from __future__ import annotations

from courtroom.exhibits.room import Request, Room, whole_sheet
from courtroom.exhibits.sheets import Sheet, file_sheet, page_name, page_sheets
from courtroom.models.exhibit import Exhibit

LINES = [f"line {number}" for number in range(1, 101)]
SHEETS = {
    "a.py": file_sheet("a.py", LINES, "c" * 40),
    **page_sheets(["one\ntwo\nthree\n" + "four" * 20]),
}


def filled(characters: int, *requests: Request, sheets: dict[str, Sheet] | None = None) -> Room:
    room = Room(sheets or SHEETS, characters)
    room.fill(requests)
    return room


def spans(exhibits: tuple[Exhibit, ...]) -> list[tuple[int | None, int | None]]:
    return [(e.location.line_start, e.location.line_end) for e in exhibits]


def test_overlapping_requests_become_one_exhibit_with_the_first_title() -> None:
    room = filled(9000, Request("a.py", 10, 20, "first"), Request("a.py", 15, 30, "second"))

    (exhibit,) = room.exhibits()
    assert (exhibit.title, spans((exhibit,))) == ("first", [(10, 30)])
    assert exhibit.text == "\n".join(LINES[9:30])


def test_short_gap_is_shown_and_a_long_one_is_not() -> None:
    short = filled(9000, Request("a.py", 1, 5, "x"), Request("a.py", 7, 9, "y"))
    long = filled(9000, Request("a.py", 1, 5, "x"), Request("a.py", 20, 22, "y"))

    assert spans(short.exhibits()) == [(1, 9)]
    assert spans(long.exhibits()) == [(1, 5), (20, 22)]


def test_exhibits_keep_the_order_in_which_they_were_asked_for() -> None:
    room = filled(9000, Request("a.py", 50, 60, "x"), Request("a.py", 1, 5, "y"))
    assert spans(room.exhibits()) == [(50, 60), (1, 5)]


def test_sizes_of_exhibits_fit_the_room_and_omissions_are_named() -> None:
    room = filled(300, Request("a.py", 1, 10, "x"), Request("a.py", 40, 90, "y", (70,)))

    assert sum(exhibit.characters for exhibit in room.exhibits()) <= 300
    lines = {
        n for first, last in spans(room.exhibits()) for n in range(first or 0, (last or 0) + 1)
    }
    assert 70 in lines
    (omission,) = room.omitted()
    assert omission.title == "y"
    left_out = set(range(40, 91)) - lines
    assert omission.characters == sum(len(LINES[n - 1]) + len(str(n)) + 2 for n in left_out)


def test_part_of_a_unit_holds_its_head_and_the_focus() -> None:
    room = filled(350, Request("a.py", 20, 99, "x", (80,)))

    assert spans(room.exhibits()) == [(20, 22), (74, 86)]
    assert {exhibit.title for exhibit in room.exhibits()} == {"x, in part"}


def test_request_that_may_not_take_everything_leaves_room_for_the_next() -> None:
    room = filled(2000, Request("a.py", 1, 100, "x", most=200), Request("a.py", 90, 100, "y"))
    assert spans(room.exhibits())[-1] == (90, 100)


def test_code_that_was_cut_to_leave_room_is_completed_where_there_is_some() -> None:
    capped = Request("a.py", 1, 100, "x", focus=(50,), most=350)
    room = filled(5000, capped)
    assert spans(room.exhibits()) == [(1, 3), (44, 56)]

    room.complete()
    (exhibit,) = room.exhibits()
    assert (exhibit.title, spans((exhibit,)), room.omitted()) == ("x", [(1, 100)], ())


def test_code_that_has_no_room_to_be_completed_gets_wider_windows() -> None:
    room = filled(700, Request("a.py", 1, 100, "x", focus=(50,), most=350))
    room.complete()
    assert spans(room.exhibits()) == [(1, 3), (38, 62)]
    assert sum(exhibit.characters for exhibit in room.exhibits()) <= 700


def test_pages_that_were_cut_to_leave_room_stay_cut() -> None:
    room = filled(5000, whole_sheet(page_name(1), "page").capped(60))
    before = room.exhibits()
    room.complete()
    assert room.exhibits() == before


def test_fewer_lines_than_seven_are_not_torn_out_of_a_unit() -> None:
    focus = tuple(range(10, 100, 20))
    room = filled(400, Request("a.py", 1, 100, "x", focus))
    assert [(last or 0) - (first or 0) + 1 for first, last in spans(room.exhibits())] == [7, 7, 7]


def test_page_is_shown_from_its_first_line() -> None:
    room = filled(60, whole_sheet(page_name(1), "page"))
    (exhibit,) = room.exhibits()
    assert exhibit.text == "one\ntwo\nthree"
    assert exhibit.location.page == 1


def test_same_omission_is_named_once() -> None:
    request = Request("a.py", 1, 100, "x")
    assert len(filled(10, request, request).omitted()) == 1


def test_lines_that_do_not_exist_are_nothing() -> None:
    room = filled(900, Request("a.py", 500, 600, "x"), Request("none.py", 1, 2, "x"))
    assert (room.exhibits(), room.omitted()) == ((), ())
