import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { testPolicies } from './kubernetes-policies.mjs';
import { expect, node, repository, run } from './steps.mjs';

const heavyTools = join(repository, 'packages/heavy-tools');
const { parseAllDocuments } = createRequire(join(heavyTools, 'package.json'))('yaml');

const operator = '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';

/** The modules that have the types of what we use, by API version. */
const modules = {
  v1: 'kubernetes-models/v1',
  'apps/v1': 'kubernetes-models/apps/v1',
  'autoscaling/v2': 'kubernetes-models/autoscaling/v2',
  'batch/v1': 'kubernetes-models/batch/v1',
  'networking.k8s.io/v1': 'kubernetes-models/networking.k8s.io/v1',
  'policy/v1': 'kubernetes-models/policy/v1',
  'monitoring.coreos.com/v1': operator,
};

/** What an overlay consists of. */
export async function render(overlay) {
  return renderFolder(join(repository, 'deploy/kubernetes/overlays', overlay));
}

async function renderFolder(folder) {
  const { stdout } = await run('kubectl', ['kustomize', folder]);
  return parseAllDocuments(stdout).map((document) => document.toJS());
}

/** An overlay with one more component, as somebody's own overlay would have it. */
async function renderWith(overlay, component) {
  const folder = join(heavyTools, 'node_modules/.cache/deploy-overlay');
  const pathTo = (...names) => relative(folder, join(repository, 'deploy/kubernetes', ...names));
  const kustomization = {
    resources: [pathTo('overlays', overlay)],
    components: [pathTo('components', component)],
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
  return renderFolder(folder);
}

/** Mistakes that the check must find: in each, the Deployment's container is changed. */
const mistakes = {
  'a misspelt field': (container) => {
    container.readinesProbe = container.readinessProbe;
  },
  'a misspelt field further inside': (container) => {
    container.securityContext.readOnlyRootFileSystem = true;
  },
  'a value of another type': (container) => {
    container.readinessProbe.periodSeconds = '2';
  },
  'a missing field': (container) => {
    delete container.name;
  },
};

/** Renders the overlays, and holds every object against the types of the Kubernetes API. */
export async function testKubernetes({ say }) {
  const overlays = { minimal: await render('minimal'), production: await render('production') };
  const objects = Object.values(overlays).flat();
  await checkTypes('rendered', objects);
  say(`${objects.length} objects have the types of the Kubernetes API`);

  const deployment = overlays.minimal.find(({ kind }) => kind === 'Deployment');
  for (const [mistake, make] of Object.entries(mistakes)) {
    const changed = structuredClone(deployment);
    make(changed.spec.template.spec.containers[0]);
    const found = await checkTypes('mistake', [changed]).then(
      () => false,
      () => true,
    );
    expect(found, `The check does not find ${mistake}.`);
  }

  for (const [overlay, all] of Object.entries(overlays)) {
    const { spec } = all.find(({ kind }) => kind === 'Deployment');
    // With each `kubectl apply` it would fight with an autoscaler, and whoever changes to an overlay without
    // it has 1 replica until the autoscaler acts.
    expect(spec.replicas === undefined, `${overlay} sets \`replicas\`.`);
    const scaler = all.find(({ kind }) => kind === 'HorizontalPodAutoscaler');
    expect(scaler?.spec.minReplicas >= 2, `${overlay} does not ask for two replicas.`);
  }
  const service = overlays.production.filter(({ kind }) => kind === 'Service');
  const ports = service.flatMap(({ spec }) => spec.ports.map(({ targetPort }) => targetPort));
  expect(String(ports) === 'http,http', `Services lead to ${ports}.`);

  const withOperator = await renderWith('production', 'cloudnative-pg');
  await checkTypes('with-operator', withOperator);
  for (const kind of ['Deployment', 'Job']) {
    const { env } = withOperator.find((object) => object.kind === kind).spec.template.spec
      .containers[0];
    const [{ name, valueFrom }, ...others] = env;
    const isUri = name === 'DATABASE_URL' && valueFrom.secretKeyRef.key === 'uri';
    expect(
      isUri && others.length === 0,
      `The ${kind} has no DATABASE_URL from the operator's uri.`,
    );
  }
  testPolicies(overlays);
  say('the network is closed, connections suffice, and the monitoring is found');
}

/**
 * Compiles objects as literals of their types: TypeScript then refuses unknown fields too, at any depth.
 *
 * @throws an Error with what the compiler says.
 */
async function checkTypes(name, objects) {
  // Here, so that the packages are found.
  const folder = join(heavyTools, 'node_modules/.cache/deploy');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const lines = objects.map((object, index) => {
    const module = modules[object.apiVersion];
    expect(module !== undefined, `No types are known for ${object.apiVersion}.`);
    const type = `import('${module}').I${object.kind}`;
    return `export const object${index}: ${type} = ${JSON.stringify(object, null, 2)};\n`;
  });
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, lines.join('\n'));
  await run(node, [
    join(repository, 'node_modules/typescript/bin/tsc'),
    ...['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig'],
    ...['--target', 'es2024', '--module', 'nodenext', '--types', '', file],
  ]);
}
