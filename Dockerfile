# One image for every process; the command picks the role:
#   node dist/src/main/api.js (the default), dist/workers/{hold-expiry,webhook-delivery}.js, dist/src/main/migrate.js,
#   and for an operator at work: node dist/src/cli/operator.js <noun> <verb>
# It runs as an unprivileged user, writes nothing to its file system, and stops on SIGTERM within 25 s.

# A tag moves; a digest does not. None is written here, for no registry of images could be asked: pin what you have tried,
#   docker buildx imagetools inspect node:24-slim --format '{{.Manifest.Digest}}'
#   docker build --build-arg NODE_IMAGE=node:24-slim@sha256:…
ARG NODE_IMAGE=node:24-slim

# npm leaves out a workspace whose folder is not there, and all that only it needs.
FROM ${NODE_IMAGE} AS manifest
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

FROM manifest AS build
# The client, which partners install from the documentation.
COPY packages/client/package.json ./packages/client/package.json
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY workers ./workers
# What the operator's command line knows of the operator API, and what the documentation for partners is made of.
COPY docs ./docs
COPY site ./site
COPY scripts/build-site.ts ./scripts/build-site.ts
COPY examples ./examples
COPY CHANGELOG.md ./
COPY packages/client ./packages/client
RUN npm run build

# Without the optional ones too: they are the compiler, which a library names as an optional peer, and a native decoder.
FROM manifest AS dependencies
RUN npm ci --ignore-scripts --omit=dev --omit=optional

# The list of what is installed, for scanners: /app/sbom.cdx.json. Of the base image its publisher has one.
FROM dependencies AS sbom
COPY scripts/write-sbom.mjs ./scripts/write-sbom.mjs
RUN node scripts/write-sbom.mjs > sbom.cdx.json

FROM ${NODE_IMAGE}
# A container's own loopback is reached by nobody: who publishes port 3001 says from where. Never from the internet.
# The heap's limit is the one of the scripts `start:…` (docs/adr/0023); a container needs 200 MB beside it.
ENV NODE_OPTIONS=--max-old-space-size=256 NODE_ENV=production ADMIN_HOST=0.0.0.0
WORKDIR /app
COPY --from=dependencies /app ./
COPY --from=build /app/dist ./dist
COPY --from=sbom /app/sbom.cdx.json ./

# By number, so that Kubernetes can verify runAsNonRoot: the base image's own user "node".
USER 1000:1000
EXPOSE 3000 3001 3002
STOPSIGNAL SIGTERM

# Of every process: a worker listens on HEALTH_PORT, the API on PORT, and either may have both in its environment; whichever is there decides. Bash, which
# Debian always has, and no second Node: 2 ms of processor time instead of 160.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["bash", "-c", "for port in ${HEALTH_PORT:-3002} ${PORT:-3000}; do (exec 3<>/dev/tcp/127.0.0.1/$port && printf 'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]) && exit 0; done; exit 1"]

# Node itself is process 1: it handles SIGTERM and starts no children, so it needs no init in front of it.
CMD ["node", "dist/src/main/api.js"]
