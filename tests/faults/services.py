"""`python -m tests.faults.services LETTER_WORKERS`: the workers and the reconciler under the site's
own supervisor.
"""

import signal
import sys
import time

from grading.management.supervisor import Supervisor

TICK_SECONDS = 0.05
# Several tests kill a worker of the same crew; none of them is about the growing pause.
STEADY_SECONDS = 5.0


def main(letter_workers: int) -> None:
    supervisor = Supervisor(report=sys.stderr.write, steady_seconds=STEADY_SECONDS)

    def stop(*_: object) -> None:
        supervisor.stopping = True

    signal.signal(signal.SIGTERM, stop)
    supervisor.keep("worker", [sys.executable, "manage.py", "audit_worker"])
    for number in range(letter_workers):
        supervisor.keep(f"letter worker {number}", [sys.executable, "manage.py", "letter_worker"])

    supervisor.keep("reconciler", [sys.executable, "manage.py", "reconcile", "--forever"])

    while not supervisor.stopping:
        supervisor.tend()
        time.sleep(TICK_SECONDS)

    supervisor.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]))
