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
  const withOperator = await renderWith('production', 'cloudnative-pg');
  const objects = [...Object.values(overlays).flat(), ...withOperator];
  const deployment = overlays.minimal.find(({ kind }) => kind === 'Deployment');
  const wrong = Object.values(mistakes).map((make) => {
    const changed = structuredClone(deployment);
    make(changed.spec.template.spec.containers[0]);
    return [changed];
  });
  const [faults, ...found] = await faultsOfTypes([objects, ...wrong]);
  expect(faults === '', faults);
  say(`${objects.length} objects have the types of the Kubernetes API`);
  for (const [index, mistake] of Object.keys(mistakes).entries()) {
    expect(found[index] !== '', `The check does not find ${mistake}.`);
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
 * Compiles objects as literals of their types: TypeScript then refuses unknown fields too, at any depth. It
 * compiles several lists at once, because most of its time it reads the types.
 *
 * @returns what the compiler says of each list: nothing if all is well.
 */
async function faultsOfTypes(lists) {
  // Here, so that the packages are found.
  const folder = join(heavyTools, 'node_modules/.cache/deploy');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = lists.map((objects, list) => {
    const lines = objects.map((object, index) => {
      const module = modules[object.apiVersion];
      expect(module !== undefined, `No types are known for ${object.apiVersion}.`);
      const type = `import('${module}').I${object.kind}`;
      return `export const object${index}: ${type} = ${JSON.stringify(object, null, 2)};\n`;
    });
    const file = `list-${list}.ts`;
    writeFileSync(join(folder, file), lines.join('\n'));
    return file;
  });
  const args = [
    join(repository, 'node_modules/typescript/bin/tsc'),
    ...['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--pretty', 'false'],
    ...['--target', 'es2024', '--module', 'nodenext', '--types', '', ...files],
  ];
  const output = await run(node, args, { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ message }) => message,
  );
  const faults = output.split(/^(?=\S)/m);
  return files.map((file) => faults.filter((fault) => fault.startsWith(`${file}(`)).join(''));
}
