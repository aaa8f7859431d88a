import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { testPolicies } from './kubernetes-policies.mjs';
import { node, repository, run } from './steps.mjs';

const heavyTools = join(repository, 'packages/heavy-tools');
const { parseAllDocuments } = createRequire(join(heavyTools, 'package.json'))('yaml');

const operator = '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1';

/** The modules that contain the Kubernetes types, by API version. */
const modules = {
  v1: 'kubernetes-models/v1',
  'apps/v1': 'kubernetes-models/apps/v1',
  'autoscaling/v2': 'kubernetes-models/autoscaling/v2',
  'batch/v1': 'kubernetes-models/batch/v1',
  'networking.k8s.io/v1': 'kubernetes-models/networking.k8s.io/v1',
  'policy/v1': 'kubernetes-models/policy/v1',
  'monitoring.coreos.com/v1': operator,
};

/** Renders an overlay with Kustomize, and returns its objects. */
const render = (overlay) => renderFolder(join(repository, 'deploy/kubernetes/overlays', overlay));

async function renderFolder(folder) {
  const { stdout } = await run('kubectl', ['kustomize', folder]);
  return parseAllDocuments(stdout).map((document) => document.toJS());
}

/** Renders an overlay with one more component, as users do in their own overlays. */
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

/** Renders all overlays, and checks every object against the types of the Kubernetes API. */
export async function testKubernetes({ say }) {
  const overlays = { minimal: await render('minimal'), production: await render('production') };
  const withOperator = await renderWith('production', 'cloudnative-pg');
  const objects = [...Object.values(overlays).flat(), ...withOperator];
  await checkTypes(objects);
  say(`${objects.length} objects have the types of the Kubernetes API`);

  for (const [overlay, all] of Object.entries(overlays)) {
    const { spec } = all.find(({ kind }) => kind === 'Deployment');
    // An overlay must not set `replicas`, because each `kubectl apply` would undo the autoscaler's
    // value.
    equal(spec.replicas, undefined, `${overlay} sets \`replicas\`.`);
    const scaler = all.find(({ kind }) => kind === 'HorizontalPodAutoscaler');
    ok(scaler?.spec.minReplicas >= 2, `${overlay}: the autoscaler must run at least two replicas.`);
  }
  const services = overlays.production.filter(({ kind }) => kind === 'Service');
  const ports = services.flatMap(({ spec }) => spec.ports.map(({ targetPort }) => targetPort));
  deepEqual(ports, ['http', 'http']);

  for (const kind of ['Deployment', 'Job']) {
    const { template } = withOperator.find((object) => object.kind === kind).spec;
    const [{ name, valueFrom }, ...others] = template.spec.containers[0].env;
    deepEqual([name, valueFrom.secretKeyRef.key, others], ['DATABASE_URL', 'uri', []]);
  }
  testPolicies(overlays);
}

/**
 * Checks objects against their types with the TypeScript compiler. The objects are written as
 * literals, because TypeScript then also reports unknown fields at any depth.
 */
async function checkTypes(objects) {
  // The generated file is in the folder of the heavy tools, because the compiler finds the packages
  // with the types from there.
  const folder = join(heavyTools, 'node_modules/.cache/deploy');
  mkdirSync(folder, { recursive: true });
  const lines = objects.map((object, index) => {
    const module = modules[object.apiVersion];
    ok(
      module !== undefined,
      `There are no types for ${object.apiVersion}. Add them to \`modules\` in deploy/test/kubernetes.mjs.`,
    );
    const type = `import('${module}').I${object.kind}`;
    return `export const object${index}: ${type} = ${JSON.stringify(object, null, 2)};\n`;
  });
  writeFileSync(join(folder, 'objects.ts'), lines.join('\n'));
  const args = [
    join(repository, 'node_modules/typescript/bin/tsc'),
    ...['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--pretty', 'false'],
    ...['--target', 'es2024', '--module', 'nodenext', '--types', '', 'objects.ts'],
  ];
  await run(node, args, { cwd: folder });
}
