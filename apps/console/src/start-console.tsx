import 'uplot/dist/uPlot.min.css';
import './styles/1-base.css';
import './styles/2-frame.css';
import './styles/3-controls.css';
import './styles/4-states.css';
import './styles/5-tables.css';
import './styles/6-plots.css';
import { QueryClientProvider } from '@tanstack/preact-query';
import { render } from 'preact';
import { Router } from 'wouter-preact';
import { useHashPath, useHashSearch } from './address.ts';
import { watchOperator } from './api/operator-activity.ts';
import { createQueryClient, forgetAtLogout, watchVisibility } from './api/query-client.ts';
import { restoreSession } from './api/session.ts';
import { shareSession } from './api/share-session.ts';
import { keepPreferences } from './components/time/preferences.ts';
import { App } from './console-app.tsx';

// Loading this module starts the console. No other module of the console has an effect when it is
// loaded.
const client = createQueryClient();
restoreSession();
keepPreferences();
watchOperator(window);
watchVisibility();
forgetAtLogout(client);
shareSession();
render(
  <QueryClientProvider client={client}>
    <Router hook={useHashPath} searchHook={useHashSearch}>
      <App />
    </Router>
  </QueryClientProvider>,
  document.body,
);
