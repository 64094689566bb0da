# A digest, because a tag can be given to another image. `--build-arg BASE=...` takes another one: any Debian with
# Python 3.11 or newer, and its venv module.
ARG BASE=python:3.11.16-slim@sha256:9c900dea9e8fb7e16277c179b555cc72d29a352dbc33cff48ad5a0412fd5bfc7

FROM ${BASE}
RUN apt-get --option Acquire::Languages=none update \
    && apt-get install --yes --no-install-recommends bubblewrap git openssh-client \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
    && useradd --uid 10001 --user-group --no-create-home auditor \
    && install --directory --owner=auditor --group=auditor /data/media

# The version of the Makefile.
ARG UV=0.13.8
# Names of further lock files: "providers" for models of other providers, "guards" for rules with guards, "storage" for
# uploads in a bucket (STORAGE_URL), "telemetry" for traces (OTEL_EXPORTER_OTLP_ENDPOINT); or several of them.
ARG EXTRAS=
WORKDIR /site
COPY requirements/ requirements/
# `--secret id=ca_certificates,src=FILE` names the certificates of a proxy that ends TLS; none is needed elsewhere.
RUN --mount=type=secret,id=ca_certificates --mount=type=cache,target=/root/.cache/uv \
    if [ -s /run/secrets/ca_certificates ]; then \
        export PIP_CERT=/run/secrets/ca_certificates SSL_CERT_FILE=/run/secrets/ca_certificates; \
    fi \
    && python3 -m venv /opt/installer && python3 -m venv --without-pip /opt/auditor \
    && /opt/installer/bin/pip install --quiet --no-cache-dir --disable-pip-version-check uv==${UV} \
    && /opt/installer/bin/uv pip sync --quiet --python /opt/auditor/bin/python --require-hashes --link-mode copy \
        --compile-bytecode $(printf 'requirements/%s.txt ' runtime sentences ${EXTRAS}) \
    && rm -r /opt/installer /opt/auditor/.lock

# The base had pip for the step above, as a package of Debian's or as Python's own; from here on nobody needs it.
RUN if dpkg --status python3-pip-whl >/dev/null 2>&1; then apt-get purge --yes --auto-remove python3-pip-whl; fi \
    && cd "$(python3 -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')" \
    && rm -rf ensurepip site-packages/pip site-packages/pip-* /usr/local/bin/pip*

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

ARG REVISION=
LABEL org.opencontainers.image.title="Automaton Auditor" \
    org.opencontainers.image.description="Grades software projects by a digital courtroom" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.revision="${REVISION}"
USER auditor
EXPOSE 8000
CMD ["gunicorn", "auditor_site.wsgi", "-c", "python:auditor_site.webserver", "--bind", "0.0.0.0:8000"]
