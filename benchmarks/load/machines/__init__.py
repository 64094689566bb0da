"""The site on machines of its own: `python -m benchmarks.load --machines`.

    students -> nginx -> web1, web2                        (gunicorn)
                         worker1 ... worker3               (audit_worker)
                         letters, reconciler
                              |
    on the bridge:       PgBouncer -> PostgreSQL, Valkey, S3 store, mail server

Each machine is a namespace of network, mounts and host name: no folder of one is written by another,
every second clock is half a minute ahead, and a machine can be killed or cut off from one server.
Needs root, a C compiler, and of Debian pgbouncer, nginx-light and iproute2.
"""
