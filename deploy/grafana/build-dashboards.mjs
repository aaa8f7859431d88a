// Generates dashboards/*.json. Run it after an edit of dashboard-definitions.mjs:
//
//   node scripts/install.mjs all && npx node deploy/grafana/build-dashboards.mjs

import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dashboards } from './dashboard-definitions.mjs';

const load = createRequire(new URL('../../packages/heavy-tools/package.json', import.meta.url));
const { DashboardBuilder, DatasourceVariableBuilder, QueryVariableBuilder, RowBuilder } = load(
  '@grafana/grafana-foundation-sdk/dashboard',
);
const { DataqueryBuilder } = load('@grafana/grafana-foundation-sdk/prometheus');
const timeseries = load('@grafana/grafana-foundation-sdk/timeseries');
const { LegendDisplayMode, LegendPlacement, VizLegendOptionsBuilder } = load(
  '@grafana/grafana-foundation-sdk/common',
);

/** The Prometheus data source, which the viewer selects at the top of the dashboard. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana replaces the variable
const datasource = { type: 'prometheus', uid: '${datasource}' };

function panelOf({ title, unit, queries, hasExemplars = false }) {
  const panel = new timeseries.PanelBuilder()
    .title(title)
    .unit(unit)
    .min(0)
    .height(8)
    .span(8)
    .datasource(datasource)
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true),
    );
  for (const [index, { expr, legend }] of queries.entries()) {
    const query = new DataqueryBuilder()
      .refId('ABCDEF'.charAt(index))
      .expr(expr)
      .legendFormat(legend)
      .datasource(datasource)
      .range();
    panel.withTarget(hasExemplars ? query.exemplar(true) : query);
  }
  return panel;
}

/** Creates a dashboard variable whose values come from a Prometheus query. */
const variable = (name, query) =>
  new QueryVariableBuilder(name).label(name).datasource(datasource).query(query).refresh(2);

function dashboardOf({ file, title, rows }) {
  const dashboard = new DashboardBuilder(title)
    .uid(`animal-store-${file}`)
    .tags(['animal-store'])
    .timezone('utc')
    .refresh('30s')
    .time({ from: 'now-3h', to: 'now' })
    .readonly()
    .withVariable(
      new DatasourceVariableBuilder('datasource').label('Prometheus').type('prometheus'),
    )
    .withVariable(variable('namespace', 'label_values(animal_store_build_info, namespace)'))
    .withVariable(
      variable('job', 'label_values(animal_store_build_info{namespace="$namespace"}, job)'),
    )
    .withVariable(
      variable(
        'instance',
        'label_values(animal_store_build_info{namespace="$namespace",job="$job"}, instance)',
      )
        .includeAll(true)
        .allValue('.+')
        .multi(true),
    );
  for (const row of rows) {
    dashboard.withRow(new RowBuilder(row.title));
    for (const panel of row.panels) dashboard.withPanel(panelOf(panel));
  }
  return dashboard.build();
}

/** Builds the dashboards, and returns the content of each file by its name. */
export function buildDashboards() {
  return Object.fromEntries(
    dashboards.map((definition) => [
      `${definition.file}.json`,
      `${JSON.stringify(dashboardOf(definition), null, 2)}\n`,
    ]),
  );
}

if (import.meta.main) {
  const folder = fileURLToPath(new URL('dashboards/', import.meta.url));
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(buildDashboards())) {
    writeFileSync(join(folder, file), text);
  }
}
