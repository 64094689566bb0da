"""Queues of jobs: the process keeps its connections to the server."""

from grading.core.job_queues import job_queue


def test_queues_of_a_server_share_its_connections(settings):
    kept = job_queue("bulk").connection
    assert job_queue("submissions").connection is kept
    settings.RQ_QUEUES = {"bulk": {"URL": "redis://127.0.0.1:1/0"}}
    assert job_queue("bulk").connection is not kept
