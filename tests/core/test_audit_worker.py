"""A worker whose machine does not reach the database."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django_rq import get_queue
from rq.job import JobStatus
from rq.serializers import JSONSerializer

from grading.core.allowed_job import AllowedJob, AllowedQueue
from grading.core.audit_queue import enqueue
from grading.core.enums import AuditState
from grading.management.commands.audit_worker import AuditWorker
from grading.models import Audit
from tests.factories.people import everywhere
from tests.factories.work import AuditFactory
from tests.waiting import eventually

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]
NO_PORT = "1"


def test_worker_without_database_leaves_its_job_to_others_until_it_answers() -> None:
    audit, queue = AuditFactory(), get_queue("submissions")
    enqueue(audit)
    (job_id,) = queue.job_ids
    queue.connection.delete(queue.key)
    worker = AuditWorker(
        [queue],
        connection=queue.connection,
        job_class=AllowedJob,
        queue_class=AllowedQueue,
        serializer=JSONSerializer,
    )
    job = AllowedJob.fetch(job_id, connection=queue.connection, serializer=JSONSerializer)
    before = dict(connection.settings_dict)
    connection.close()
    connection.settings_dict.update(HOST="127.0.0.1", PORT=NO_PORT)
    with ThreadPoolExecutor(1) as pool:
        try:
            working = pool.submit(worker.execute_job, job, queue)
            eventually(lambda: queue.job_ids == [job_id])
            assert not working.done()
        finally:
            connection.settings_dict.update(before)
        working.result(30)

    assert (queue.job_ids, job.get_status()) == ([job_id], JobStatus.QUEUED)
    with everywhere():
        waiting = Audit.objects.get()
    assert (waiting.state, waiting.run_attempt) == (AuditState.QUEUED, 0)
