"""`python -m tests.faults.services WORKERS LETTER_WORKERS`: the workers and the reconciler under the
site's own supervisor.
"""

import signal
import sys
import time

from grading.management.supervisor import Supervisor

TICK_SECONDS = 0.05


def main(workers: int, letter_workers: int) -> None:
    supervisor = Supervisor(report=sys.stderr.write)

    def stop(*_: object) -> None:
        supervisor.stopping = True

    signal.signal(signal.SIGTERM, stop)
    for number in range(workers):
        supervisor.keep(f"worker {number}", [sys.executable, "manage.py", "audit_worker"])

    for number in range(letter_workers):
        supervisor.keep(f"letter worker {number}", [sys.executable, "manage.py", "letter_worker"])

    supervisor.keep("reconciler", [sys.executable, "manage.py", "reconcile", "--forever"])

    while not supervisor.stopping:
        supervisor.tend()
        time.sleep(TICK_SECONDS)

    supervisor.stop()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
