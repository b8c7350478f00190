# Targets: `citewell` (the last, and so the default) without a browser, `browser` with Chromium.
#   docker build -t citewell .
#   docker build -t citewell:browser --target browser .
ARG PYTHON_IMAGE=python:3.11-slim

FROM ${PYTHON_IMAGE} AS builder
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends binutils ca-certificates \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY requirements-image.lock ./
RUN python -m venv /opt/citewell \
    && /opt/citewell/bin/pip install --no-deps --require-hashes -r requirements-image.lock
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN /opt/citewell/bin/pip install --no-deps --no-build-isolation .
COPY deploy/image/collect_root.py ./
RUN python collect_root.py --venv /opt/citewell --root /image

FROM ${PYTHON_IMAGE} AS browser-builder
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /build
COPY requirements-run.lock ./
RUN python -m venv /opt/citewell \
    && /opt/citewell/bin/pip install --no-deps --require-hashes -r requirements-run.lock
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN /opt/citewell/bin/pip install --no-deps --no-build-isolation .

FROM ${PYTHON_IMAGE} AS browser
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates chromium fonts-dejavu-core \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --no-create-home --home-dir /var/lib/citewell citewell \
    && install -d -o 10001 -g 10001 -m 0700 /var/lib/citewell
COPY --from=browser-builder /opt/citewell /opt/citewell
ENV PATH=/opt/citewell/bin:$PATH \
    HOME=/var/lib/citewell \
    LANG=C.UTF-8 \
    PYTHONDONTWRITEBYTECODE=1 \
    CITEWELL_DATA_DIR=/var/lib/citewell \
    CHROME_PATH=/usr/bin/chromium
USER 10001:10001
WORKDIR /var/lib/citewell
VOLUME ["/var/lib/citewell"]
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/health/live', timeout=4)"]
ENTRYPOINT ["citewell"]
CMD ["serve", "--http", "--host", "0.0.0.0", "--port", "8000"]

# Holds Python, the program and the libraries they load: no shell and no package manager.
FROM scratch AS citewell
COPY --from=builder /image /
ENV PATH=/opt/citewell/bin:/usr/local/bin \
    HOME=/var/lib/citewell \
    LANG=C.UTF-8 \
    PYTHONDONTWRITEBYTECODE=1 \
    SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
    CITEWELL_DATA_DIR=/var/lib/citewell \
    CHROME_PATH=disabled
USER 10001:10001
WORKDIR /var/lib/citewell
VOLUME ["/var/lib/citewell"]
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/health/live', timeout=4)"]
ENTRYPOINT ["citewell"]
CMD ["serve", "--http", "--host", "0.0.0.0", "--port", "8000"]
