import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, repository } from './steps.mjs';

/** Postgres's default, without what it keeps for superusers. */
const connectionsOfPostgres = 100 - 3;

/** Expects of rendered overlays what no type says: who may connect to whom, and how often. */
export function testPolicies(overlays) {
  for (const [overlay, objects] of Object.entries(overlays)) {
    const ofKind = (...kinds) => objects.filter(({ kind }) => kinds.includes(kind));
    const policies = ofKind('NetworkPolicy');
    for (const { kind, spec } of ofKind('Deployment', 'Job')) {
      const { labels } = spec.template.metadata;
      const [policy, ...others] = policies.filter((it) => isSelected(labels, it.spec.podSelector));
      expect(policy !== undefined, `${overlay}: no NetworkPolicy selects the pods of the ${kind}.`);
      expect(others.length === 0, `${overlay}: several NetworkPolicies select the ${kind}.`);
      expectNameServers(policy, overlay);
      if (kind === 'Job') expect(policy.spec.ingress === undefined, `${overlay}: a Job is called.`);
      else expectCallers(policy, trustsProxies(objects), overlay);
    }
    for (const { kind, metadata } of ofKind('PodMonitor', 'PrometheusRule')) {
      const release = metadata.labels?.release;
      expect(release !== undefined, `${overlay}: kube-prometheus-stack ignores the ${kind}.`);
    }
    for (const { kind, spec } of ofKind('Service', 'PodDisruptionBudget', 'PodMonitor')) {
      const selector = kind === 'Service' ? { matchLabels: spec.selector } : spec.selector;
      expect(selector !== undefined, `${overlay}: the ${kind} selects nothing.`);
      for (const workload of ofKind('Deployment', 'Job')) {
        const selects = isSelected(workload.spec.template.metadata.labels, selector);
        const isRight = selects === (workload.kind === 'Deployment');
        expect(isRight, `${overlay}: what the ${kind} does with the ${workload.kind} is wrong.`);
      }
    }
    expectConnections(objects, overlay);
  }
}

const isSelected = (labels, { matchLabels }) =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value);

const trustsProxies = (objects) => {
  const { data } = objects.find(({ kind }) => kind === 'ConfigMap');
  return Number(data.TRUST_PROXY ?? 0) > 0;
};

function expectNameServers({ spec }, overlay) {
  const rule = spec.egress.find(({ ports }) => ports.some(({ port }) => port === 53));
  const anyNamespace = rule?.to?.some((it) => JSON.stringify(it) === '{"namespaceSelector":{}}');
  const onTheNode = rule?.to?.some(({ ipBlock }) => ipBlock?.cidr.startsWith('169.254.'));
  expect(anyNamespace && onTheNode, `${overlay}: some name servers are out of reach.`);
  for (const protocol of ['TCP', 'UDP']) {
    const isOpen = rule.ports.some((it) => it.port === 53 && it.protocol === protocol);
    expect(isOpen, `${overlay}: name servers cannot be asked by ${protocol}.`);
  }
}

function expectCallers({ spec }, areProxiesTrusted, overlay) {
  const callersOf = (port) =>
    spec.ingress.filter(({ ports }) => ports === undefined || ports.some((it) => it.port === port));
  const isNarrow = ({ from }) => from?.every(({ podSelector }) => podSelector !== undefined);
  expect(
    callersOf('ops').every(isNarrow),
    `${overlay}: port 3001 is open to more than Prometheus.`,
  );
  // They could write X-Forwarded-For, and be a new network with each request.
  const mayForge = areProxiesTrusted && !callersOf('http').every(isNarrow);
  expect(!mayForge, `${overlay}: every pod may say that it is a proxy.`);
}

function expectConnections(objects, overlay) {
  const read = (file) => readFileSync(join(repository, file), 'utf8');
  const pool = /^const maxConnections = (\d+);$/m.exec(
    read('apps/server/src/database/open-postgres.ts'),
  );
  // And one that listens.
  const perReplica = Number(pool?.[1]) + 1;
  const find = (wanted) => objects.find(({ kind }) => kind === wanted);
  const { replicas, strategy } = find('Deployment').spec;
  const most = find('HorizontalPodAutoscaler')?.spec.maxReplicas ?? replicas;
  const needed = (most + strategy.rollingUpdate.maxSurge) * perReplica + (find('Job') ? 1 : 0);
  expect(
    needed <= connectionsOfPostgres,
    `${overlay}: ${most} replicas need ${needed} connections.`,
  );
}
