# The service, in about 240 MB: Node, the shared libraries that it loads, production dependencies and
# sources, and nothing else: no shell, no package manager. See deploy/README.md.
#
# The base is only what the image is made from. It has Node and npm; the same Node then runs the service.
ARG BASE=docker.io/library/node:26.10.0-bookworm-slim

FROM ${BASE} AS build
WORKDIR /animal-store
# For builds behind a proxy with a certificate authority of its own.
ARG SSL_CERT_FILE
ARG NODE_EXTRA_CA_CERTS

# The pnpm of scripts/install.mjs, by its lockfile: npm compares it with its checksum.
COPY scripts/pnpm /pnpm
RUN npm install --prefix /pnpm --no-audit --no-fund

# First what changes with a dependency, then what changes with the code: after an edit of a source, the
# installation comes from the cache.
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml .pnpmfile.mjs ./
COPY patches patches
COPY packages/admin-contract/package.json packages/admin-contract/
COPY packages/contract/package.json packages/contract/
COPY packages/postgres/package.json packages/postgres/
COPY packages/quotas/package.json packages/quotas/
COPY packages/runtime/package.json packages/runtime/
COPY apps/cli/package.json apps/cli/
COPY apps/console/package.json apps/console/
COPY apps/docs/package.json apps/docs/
COPY apps/server/package.json apps/server/
# Without optional dependencies: the only one is Node, which is here already.
RUN /pnpm/node_modules/.bin/pnpm install \
  --prod --no-optional --frozen-lockfile --ignore-scripts --filter-prod '@animal-store/server...' --filter-prod '@animal-store/cli...'
COPY deploy/image/collect-runtime.mjs deploy/image/
RUN node deploy/image/collect-runtime.mjs /runtime

# Vite, and what it puts into the files of the console, is not in the image. It needs its optional dependencies: they
# hold its programs.
FROM build AS console
RUN /pnpm/node_modules/.bin/pnpm install \
  --prod --frozen-lockfile --ignore-scripts --filter-prod '@animal-store/console...'
COPY tsconfig.json ./
COPY packages/admin-contract packages/admin-contract
COPY packages/contract packages/contract
COPY apps/console apps/console
RUN cd apps/console && node node_modules/vite/bin/vite.js build

FROM scratch
COPY --from=build /runtime /
WORKDIR /animal-store
# The layout of the workspace stays: below node_modules, Node would not strip the types.
COPY --from=build /animal-store .
ARG VERSION=1.0.0
LABEL org.opencontainers.image.title="Animal Store" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.source="https://github.com/animal-store/animal-store"
COPY LICENSE CHANGELOG.md ./
COPY packages/admin-contract packages/admin-contract
COPY packages/contract packages/contract
COPY packages/postgres packages/postgres
COPY packages/quotas packages/quotas
COPY packages/runtime packages/runtime
COPY apps/cli apps/cli
COPY --from=console /animal-store/apps/console/dist apps/console/dist
COPY apps/docs apps/docs
COPY apps/server apps/server

# OPS_HOST for probes and metrics. Publish PORT only, never OPS_PORT.
ENV PATH=/usr/local/bin HOST=0.0.0.0 OPS_HOST=0.0.0.0 DATA_DIR=/data
EXPOSE 3000
USER 1000:1000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.OPS_PORT || 3001) + '/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The flags are those of `npm start`; scripts/start.mjs says why.
CMD ["node", "--max-semi-space-size=16", "apps/server/src/main.ts"]
