# One image for every process; the command picks the role:
#   node dist/src/api.js (the default), dist/workers/{hold-expiry,event-dispatch,webhook-delivery}.js, dist/src/migrate.js,
#   and for an operator at work: node dist/src/cli/operator.js <noun> <verb>
# It runs as an unprivileged user, writes nothing to its file system, and stops on SIGTERM within 25 s.

# npm leaves out a workspace whose folder is not there, and all that only it needs.
FROM node:24-slim AS manifest
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

FROM node:24-slim
# A container's own loopback is reached by nobody: who publishes port 3001 says from where. Never from the internet.
# The heap's limit is the one of the scripts `start:…` (docs/adr/0041-a-heap-has-a-limit.md); a container needs 200 MB beside it.
ENV NODE_OPTIONS=--max-old-space-size=256 NODE_ENV=production ADMIN_HOST=0.0.0.0
WORKDIR /app
COPY --from=dependencies /app ./
COPY --from=build /app/dist ./dist

# By number, so that Kubernetes can verify runAsNonRoot: the base image's own user "node".
USER 1000:1000
EXPOSE 3000 3001 3002
STOPSIGNAL SIGTERM

# Of the API; a worker's asks on HEALTH_PORT (docker-compose.yml).
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

# Node itself is process 1: it handles SIGTERM and starts no children, so it needs no init in front of it.
CMD ["node", "dist/src/api.js"]
