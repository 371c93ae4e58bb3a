# The same two steps that `make run` takes on any machine, so that what is tested there is what runs here.
FROM python:3.11-slim-bookworm

RUN apt-get update \
    && apt-get install -y --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 turnwright

WORKDIR /srv/turnwright

# The environment first: it changes when a lock does, not with every line of code.
COPY Makefile requirements.lock requirements-dev.lock ./
COPY tools tools
RUN make env

COPY . .
# data/ is all that the service writes; the rest belongs to root and stays as it was built.
RUN mkdir data && chown turnwright data

USER turnwright
ENV HOST=0.0.0.0 PORT=8000
EXPOSE 8000
VOLUME /srv/turnwright/data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["/srv/turnwright/.venv/bin/python", "-c", "import httpx; httpx.get('http://127.0.0.1:8000/readyz').raise_for_status()"]
CMD ["make", "run"]
