import { html } from 'htm/preact';
import { render } from 'preact';
import { App } from './console-app.ts';

render(html`<${App} />`, document.body);
