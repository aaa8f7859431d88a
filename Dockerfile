# The image of the service, about 240 MB. It contains Node, the shared libraries that Node loads, the production
# dependencies and the sources. It has no shell and no package manager. See deploy/README.md.
#
# BASE is the image for the build. The final image takes Node from it, but nothing else.
ARG BASE=docker.io/library/node:26.10.0-bookworm-slim

FROM ${BASE} AS build
WORKDIR /animal-store
# Set these arguments to build behind a proxy with its own certificate authority.
ARG SSL_CERT_FILE
ARG NODE_EXTRA_CA_CERTS

# Installs the same pnpm as scripts/install.mjs. npm compares it with the checksum in the lockfile.
COPY scripts/pnpm /pnpm
RUN npm install --prefix /pnpm --no-audit --no-fund

# Dependencies are installed before the sources are copied. After a change to a source file, the
# installation then comes from the build cache.
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml .pnpmfile.mjs ./
COPY patches patches
COPY packages/admin-contract/package.json packages/admin-contract/
COPY packages/contract/package.json packages/contract/
COPY packages/http-server/package.json packages/http-server/
COPY packages/observability/package.json packages/observability/
COPY packages/postgres/package.json packages/postgres/
COPY packages/quotas/package.json packages/quotas/
COPY packages/runtime/package.json packages/runtime/
COPY apps/cli/package.json apps/cli/
COPY apps/console/package.json apps/console/
COPY apps/docs/package.json apps/docs/
COPY apps/server/package.json apps/server/
# Optional dependencies are left out, because the only one is Node, which the base image already
# has.
RUN /pnpm/node_modules/.bin/pnpm install \
  --prod --no-optional --frozen-lockfile --ignore-scripts --filter-prod '@animal-store/server...' --filter-prod '@animal-store/cli...'
COPY deploy/image/collect-runtime.mjs deploy/image/
RUN node deploy/image/collect-runtime.mjs /runtime

# The console is built in a separate stage, so that Vite and its dependencies are not in the image.
# Here, optional dependencies are installed, because they contain Vite's native programs.
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
# The sources keep their workspace paths, because Node does not strip types from files in
# node_modules.
COPY --from=build /animal-store .
ARG VERSION=1.0.0
LABEL org.opencontainers.image.title="Animal Store" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.source="https://github.com/animal-store/animal-store"
COPY LICENSE CHANGELOG.md ./
COPY packages/admin-contract packages/admin-contract
COPY packages/contract packages/contract
COPY packages/http-server packages/http-server
COPY packages/observability packages/observability
COPY packages/postgres packages/postgres
COPY packages/quotas packages/quotas
COPY packages/runtime packages/runtime
COPY apps/cli apps/cli
COPY --from=console /animal-store/apps/console/dist apps/console/dist
COPY apps/docs apps/docs
COPY apps/server apps/server

# OPS_HOST makes the ops listener reachable for probes and Prometheus. Publish PORT only, never
# OPS_PORT.
ENV PATH=/usr/local/bin HOST=0.0.0.0 OPS_HOST=0.0.0.0 DATA_DIR=/data
EXPOSE 3000
USER 1000:1000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.OPS_PORT || 3001) + '/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The flags are the same as for `npm start`. scripts/start.mjs explains them.
CMD ["node", "--no-allocation-site-pretenuring", "apps/server/src/main.ts"]
