import { html } from 'htm/preact';
import { render } from 'preact';
import { App } from './console-app.ts';
import { watchOperator } from './operator-activity.ts';
import { shareSession } from './share-session.ts';

watchOperator(window);
shareSession();
render(html`<${App} />`, document.body);
