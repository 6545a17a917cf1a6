# The server in a container: a static binary, nobody's shell, and no root.
#
#   docker build --build-arg DISTROLESS=… -t counterfoil .
#   docker run -i --rm -v counterfoil:/data counterfoil
#
# DISTROLESS is where you take the distroless images from: a registry and a path.
# The server speaks MCP on standard input and output, and keeps its data in
# /data, which wants a volume. Tags may move: whoever publishes an image names
# both bases by their digest.
ARG DISTROLESS
FROM --platform=$BUILDPLATFORM golang:1.26-bookworm AS build
ENV GOTOOLCHAIN=local
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS
ARG TARGETARCH
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false -ldflags '-s -w' -o /image/counterfoil . \
	&& release/notices.sh >/image/THIRD_PARTY_LICENSES \
	&& cp LICENSE /image/ \
	&& mkdir -m 0700 /data

FROM ${DISTROLESS}/static-debian12:nonroot
COPY --from=build /image/ /
# The base's nonroot, by its number, so that an orchestrator can tell it from root.
COPY --from=build --chown=65532:65532 /data /data
USER 65532:65532
ENV COUNTERFOIL_DATA_DIR=/data
VOLUME ["/data"]
ENTRYPOINT ["/counterfoil"]
CMD ["serve"]
