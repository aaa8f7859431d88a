import { html } from 'htm/preact';
import { render } from 'preact';
import { App } from './console-app.ts';
import { shareSession } from './share-session.ts';

shareSession();
render(html`<${App} />`, document.body);
