import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './steps.mjs';

/**
 * The number of connections that Postgres allows by default, minus those that are reserved for
 * superusers.
 */
const connectionsOfPostgres = 100 - 3;

/**
 * Checks rules that the Kubernetes types cannot express: who may connect to which port, and how
 * many database connections all replicas open.
 */
export function testPolicies(overlays) {
  for (const [overlay, objects] of Object.entries(overlays)) {
    const objectsOfKind = (...kinds) => objects.filter(({ kind }) => kinds.includes(kind));
    const workloads = objectsOfKind('Deployment', 'Job');
    const labelsOf = ({ spec }) => spec.template.metadata.labels;
    for (const workload of workloads) {
      const selecting = objectsOfKind('NetworkPolicy').filter(({ spec }) =>
        isSelected(labelsOf(workload), spec.podSelector),
      );
      equal(
        selecting.length,
        1,
        `${overlay}: expected one NetworkPolicy that selects the ${workload.kind}.`,
      );
      const [{ spec }] = selecting;
      expectNameServers(spec, overlay);
      expectNoRights(workload.spec.template.spec);
      if (workload.kind === 'Job')
        equal(
          spec.ingress,
          undefined,
          `${overlay}: the NetworkPolicy allows connections to a Job.`,
        );
      else expectCallers(spec, trustsProxies(objects), overlay);
    }
    // kube-prometheus-stack ignores objects without the label `release`.
    for (const { metadata } of objectsOfKind('PodMonitor', 'PrometheusRule'))
      ok(metadata.labels?.release);
    for (const { kind, spec } of objectsOfKind('Service', 'PodDisruptionBudget', 'PodMonitor')) {
      const selector = kind === 'Service' ? { matchLabels: spec.selector } : spec.selector;
      const selected = workloads.filter((workload) => isSelected(labelsOf(workload), selector));
      deepEqual(
        selected.map((workload) => workload.kind),
        ['Deployment'],
        `${overlay}: what the ${kind} selects`,
      );
    }
    expectConnections(objects, overlay);
  }
}

/**
 * Checks that a pod has only the permissions that it needs. The step `image` shows that these are
 * enough to run the container.
 */
function expectNoRights({ securityContext: { runAsUser, runAsNonRoot }, containers: [container] }) {
  deepEqual([runAsUser, runAsNonRoot], [1000, true]);
  deepEqual(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  if (container.startupProbe === undefined) return;
  deepEqual(
    container.ports.map(({ name, containerPort }) => [name, containerPort]),
    [
      ['http', 3000],
      ['ops', 3001],
    ],
  );
  const paths = { startupProbe: '/livez', readinessProbe: '/readyz', livenessProbe: '/livez' };
  for (const [probe, path] of Object.entries(paths))
    deepEqual(container[probe].httpGet, { path, port: 'ops' });
}

const isSelected = (labels, { matchLabels }) =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value);

const trustsProxies = (objects) => {
  const { data } = objects.find(({ kind }) => kind === 'ConfigMap');
  return Number(data.TRUST_PROXY ?? 0) > 0;
};

function expectNameServers({ egress }, overlay) {
  const { ports, to = [] } = egress.find((rule) => rule.ports.some(({ port }) => port === 53));
  const anyNamespace = to.some((it) => JSON.stringify(it) === '{"namespaceSelector":{}}');
  const onNode = to.some(({ ipBlock }) => ipBlock?.cidr.startsWith('169.254.'));
  ok(anyNamespace && onNode, `${overlay}: the network policy does not allow all name servers.`);
  const protocols = ports.filter(({ port }) => port === 53).map(({ protocol }) => protocol);
  deepEqual(protocols.sort(), ['TCP', 'UDP']);
}

function expectCallers({ ingress }, areProxiesTrusted, overlay) {
  const isNarrow = (wanted) =>
    ingress
      .filter(({ ports }) => ports === undefined || ports.some(({ port }) => port === wanted))
      .every(({ from }) => from?.every(({ podSelector }) => podSelector !== undefined));
  ok(isNarrow('ops'), `${overlay}: port 3001 is open to other pods than Prometheus.`);
  // A pod that reaches the public port directly could forge X-Forwarded-For and evade the rate
  // limit of its network.
  ok(!areProxiesTrusted || isNarrow('http'), `${overlay}: every pod can forge X-Forwarded-For.`);
}

function expectConnections(objects, overlay) {
  const source = readFileSync(join(repository, 'packages/postgres/src/open-postgres.ts'), 'utf8');
  const constants = Object.fromEntries(
    [...source.matchAll(/^const (\w+) = (\d+);$/gm)].map(([, name, value]) => [name, value]),
  );
  const pools = [...source.matchAll(/ = connect\('\w+', (\w+)/g)];
  ok(pools.length > 0, 'open-postgres.ts opens no connection pool.');
  // Besides the connections of its pools, a replica has one connection that receives Postgres's
  // notifications. The sum starts at 1 for this connection.
  const perReplica = pools.reduce((sum, [, size]) => sum + Number(constants[size] ?? size), 1);
  const find = (wanted) => objects.find(({ kind }) => kind === wanted);
  const most = find('HorizontalPodAutoscaler').spec.maxReplicas;
  const { maxSurge } = find('Deployment').spec.strategy.rollingUpdate;
  // Kubernetes starts the next replica while the previous one still shuts down. A migration uses
  // two connections, because one migrates and the other finds out which sessions block the
  // migration.
  const stopping = 1;
  const needed = (most + maxSurge + stopping) * perReplica + (find('Job') ? 2 : 0);
  ok(
    needed <= connectionsOfPostgres,
    `${overlay}: ${most} replicas need ${needed} connections, but Postgres allows ${connectionsOfPostgres}.`,
  );
}
