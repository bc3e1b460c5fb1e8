# tide in a container. From a clone:
#
#	docker build -t tide .
#	docker run --rm tide compare --workload scanhot --near 25%
#	docker run --rm -v "$PWD:/data" tide advise --trace trace.csv --near 10%
#
# `tide run` needs userfaultfd, and files of tier 3 need io_uring. Docker's default profile forbids
# both: add --security-opt seccomp=unconfined.

FROM debian:12 AS build
WORKDIR /src
# The packages that the build needs are a layer of their own, which sources do not change.
COPY scripts/deps.sh scripts/packages.txt scripts/
RUN scripts/deps.sh deb
COPY . .
RUN make deb

FROM debian:12-slim
RUN --mount=type=bind,from=build,source=/src/build/deb,target=/deb \
	apt-get update \
	&& apt-get install -y --no-install-recommends /deb/tide_*.deb gnuplot-nox \
	&& rm -rf /var/lib/apt/lists/*
WORKDIR /data
USER nobody
ENTRYPOINT ["tide"]
CMD ["--help"]
