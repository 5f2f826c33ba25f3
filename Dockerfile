# One image for every process. The command chooses the process:
#   node dist/src/main/api.js (the default), dist/workers/{hold-expiry,webhook-delivery}.js, dist/src/main/migrate.js,
#   or, for operators: node dist/src/cli/operator.js <noun> <verb>
# It runs as an unprivileged user, never writes to its file system, and stops within 25 s of SIGTERM.

# A tag can move; a digest cannot. Pin the digest that you tested:
#   docker buildx imagetools inspect node:24-slim --format '{{.Manifest.Digest}}'
#   docker build --build-arg NODE_IMAGE=node:24-slim@sha256:…
ARG NODE_IMAGE=node:24-slim

# npm skips a workspace whose folder is missing, and the packages that only it needs.
FROM ${NODE_IMAGE} AS manifest
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

FROM manifest AS build
# The documentation offers the client for download.
COPY packages/client/package.json ./packages/client/package.json
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY workers ./workers
# The operator's command line reads the operator API description; the partner documentation is built from the rest.
COPY docs ./docs
COPY site ./site
COPY scripts/build-site.ts ./scripts/build-site.ts
COPY examples ./examples
COPY CHANGELOG.md ./
COPY packages/client ./packages/client
RUN npm run build

# Omit optional packages: a compiler, which a library lists as an optional peer, and a native decoder.
FROM manifest AS dependencies
RUN npm ci --ignore-scripts --omit=dev --omit=optional

# /app/sbom.cdx.json lists the installed packages for scanners. The base image's publisher has a list of its own.
FROM dependencies AS sbom
COPY scripts/write-sbom.mjs ./scripts/write-sbom.mjs
RUN node scripts/write-sbom.mjs > sbom.cdx.json

FROM ${NODE_IMAGE}
# ADMIN_HOST: nothing outside a container can reach its loopback. Never publish port 3001 to the internet.
# The heap limit equals that of the `start:…` scripts (docs/adr/0023). A container needs 200 MB more.
ENV NODE_OPTIONS=--max-old-space-size=256 NODE_ENV=production ADMIN_HOST=0.0.0.0
WORKDIR /app
COPY --from=dependencies /app ./
COPY --from=build /app/dist ./dist
COPY --from=sbom /app/sbom.cdx.json ./

# The base image's user "node", as a number: Kubernetes verifies runAsNonRoot only for numbers.
USER 1000:1000
EXPOSE 3000 3001 3002
STOPSIGNAL SIGTERM

# Works for every process: tries HEALTH_PORT (workers), then PORT (the API), because both may be set. Debian always has
# bash, which takes 2 ms of processor time; a second Node would take 160.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["bash", "-c", "for port in ${HEALTH_PORT:-3002} ${PORT:-3000}; do (exec 3<>/dev/tcp/127.0.0.1/$port && printf 'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]) && exit 0; done; exit 1"]

# Node is process 1: it handles SIGTERM and starts no children, so it needs no init.
CMD ["node", "dist/src/main/api.js"]
