import 'uplot/dist/uPlot.min.css';
import './styles/1-base.css';
import './styles/2-frame.css';
import './styles/3-controls.css';
import './styles/4-states.css';
import './styles/5-tables.css';
import './styles/6-plots.css';
import { render } from 'preact';
import { watchOperator } from './api/operator-activity.ts';
import { shareSession } from './api/share-session.ts';
import { App } from './console-app.tsx';

watchOperator(window);
shareSession();
render(<App />, document.body);
