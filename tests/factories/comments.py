"""Comments of staff, their answers, and entries of a bank."""

import factory
from django.utils import timezone

from grading.core.enums import CommentPlace
from grading.models import BankedComment, Comment, CommentReply
from tests.factories.people import TenantFactory
from tests.factories.work import RubricFactory, SubmissionFactory


class BankedCommentFactory(TenantFactory):
    class Meta:
        model = BankedComment

    rubric = factory.SubFactory(RubricFactory)
    organization = factory.SelfAttribute("rubric.organization")
    label = factory.Sequence(lambda n: f"Entry {n}")
    text = "Name the state by what it holds."


class CommentFactory(TenantFactory):
    """Draft on the whole work; `released=True` for one that its student sees."""

    class Meta:
        model = Comment

    class Params:
        released = factory.Trait(
            released_at=factory.LazyFunction(timezone.now),
            first_released_at=factory.SelfAttribute("released_at"),
            news_at=factory.SelfAttribute("released_at"),
        )

    submission = factory.SubFactory(SubmissionFactory)
    organization = factory.SelfAttribute("submission.organization")
    place = CommentPlace.WORK
    text = "Well built."


class CommentReplyFactory(TenantFactory):
    class Meta:
        model = CommentReply

    comment = factory.SubFactory(CommentFactory, released=True)
    organization = factory.SelfAttribute("comment.organization")
    by_student = True
    text = "Thank you."
