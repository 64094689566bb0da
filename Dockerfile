# A digest, because a tag can be given to another image. `--build-arg BASE=...` takes another one: any Debian with
# Python 3.11 or newer, and its venv module.
ARG BASE=python:3.11.16-slim@sha256:9c900dea9e8fb7e16277c179b555cc72d29a352dbc33cff48ad5a0412fd5bfc7

FROM ${BASE} AS packages
# Names of further lock files: "providers" for models of other providers, "guards" for rules with guards, "storage" for
# uploads in a bucket (STORAGE_URL), "telemetry" for traces (OTEL_EXPORTER_OTLP_ENDPOINT); or several of them.
ARG EXTRAS=
RUN python3 -m venv /opt/installer && python3 -m venv --without-pip /opt/auditor
COPY requirements/ /requirements/
# `--secret id=ca_certificates,src=FILE` names the certificates of a proxy that ends TLS; none is needed elsewhere.
RUN --mount=type=secret,id=ca_certificates \
    if [ -s /run/secrets/ca_certificates ]; then export PIP_CERT=/run/secrets/ca_certificates; fi \
    && /opt/installer/bin/pip --python /opt/auditor/bin/python install --no-cache-dir --no-deps --require-hashes \
        --disable-pip-version-check $(printf -- '--requirement /requirements/%s.txt ' runtime ${EXTRAS})

FROM ${BASE}
LABEL org.opencontainers.image.title="Automaton Auditor" \
    org.opencontainers.image.description="Grades software projects by a digital courtroom" \
    org.opencontainers.image.licenses="Apache-2.0"
RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap git \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && useradd --uid 10001 --user-group --no-create-home auditor \
    && install --directory --owner=auditor --group=auditor /data/media

COPY --from=packages /opt/auditor /opt/auditor
WORKDIR /site
COPY . .

ENV PATH=/opt/auditor/bin:$PATH \
    DJANGO_SETTINGS_MODULE=auditor_site.settings.production \
    MEDIA_ROOT=/data/media \
    PYTHONUNBUFFERED=1

# Collecting reads no secret and no database; the settings only want them to be named. What compiles comes last, because
# a container may not write it.
RUN SECRET_KEY=unused ALLOWED_HOSTS=unused DATABASE_URL=postgresql://unused/unused REDIS_URL=redis://unused \
    PYTHONDONTWRITEBYTECODE=1 python manage.py collectstatic --noinput \
    && python -m compileall -q -j 0 courtroom grading auditor_site
ENV PYTHONDONTWRITEBYTECODE=1

USER auditor
EXPOSE 8000
CMD ["gunicorn", "auditor_site.wsgi", "-c", "python:auditor_site.webserver", "--bind", "0.0.0.0:8000"]
