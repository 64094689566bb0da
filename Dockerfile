# A digest, because a tag can be given to another image. `--build-arg BASE=...` takes another one.
ARG BASE=python:3.11.16-slim@sha256:9c900dea9e8fb7e16277c179b555cc72d29a352dbc33cff48ad5a0412fd5bfc7
FROM ${BASE}

RUN apt-get update \
    && apt-get install --yes --no-install-recommends bubblewrap git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --user-group --no-create-home auditor \
    && install --directory --owner=auditor --group=auditor /data/media

WORKDIR /site
# Names of further lock files: "providers" for models of other providers, "guards" for rules with guards, or both.
ARG EXTRAS=
COPY requirements/runtime.txt requirements/providers.txt requirements/guards.txt requirements/
RUN pip install --no-cache-dir --no-deps --require-hashes \
    $(printf -- '--requirement requirements/%s.txt ' runtime ${EXTRAS})
COPY . .
# Below, Python may no longer write what it compiled.
RUN python -m compileall -q -j 0 courtroom grading auditor_site

ENV DJANGO_SETTINGS_MODULE=auditor_site.settings.production \
    MEDIA_ROOT=/data/media \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1

# Collecting reads no secret and no database; the settings only want them to be named.
RUN SECRET_KEY=unused ALLOWED_HOSTS=unused DATABASE_URL=postgresql://unused/unused REDIS_URL=redis://unused \
    python manage.py collectstatic --noinput

USER auditor
EXPOSE 8000
CMD ["gunicorn", "auditor_site.wsgi", "-c", "python:auditor_site.webserver", "--bind", "0.0.0.0:8000"]
