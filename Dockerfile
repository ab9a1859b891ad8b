# An image for CI jobs: Debian 12 with the package that `make deb` makes, and nothing else of Lockstep.
#   make deb && docker build -t lockstep .
# There is no entry point: GitLab and others start a shell in the image.
FROM debian:12-slim
COPY build/package/lockstep_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends git ca-certificates /tmp/lockstep_*.deb && rm -rf /var/lib/apt/lists/* /tmp/lockstep_*.deb
WORKDIR /repository
CMD ["lockstep", "--help"]
