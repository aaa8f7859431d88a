// This script runs in the browser. Anyone who opens the page can read the API key in
// `settings.json`, so the key is read-only.

import { createClient, RateLimitError } from '@animal-store/client';

const settings = await (await fetch('settings.json')).json();
// A visitor must not wait up to a minute until the quota resets. So a wait of more than 2 s becomes
// an error.
const store = createClient({ ...settings, maxRetryAfterMs: 2_000 });

const list = document.querySelector('#animals');
const state = document.querySelector('#state');
const more = document.querySelector('#more');
let cursor;

async function showPage() {
  more.disabled = true;
  try {
    const page = await store.listPets({ status: 'available', limit: 10, cursor });
    for (const { name } of page.pets) {
      const item = document.createElement('li');
      // The name is set as text and not as HTML, because anyone who adds an animal can choose it.
      item.textContent = name;
      list.append(item);
    }
    cursor = page.nextCursor;
    more.hidden = cursor === undefined;
    state.textContent = `${list.children.length} animals`;
  } catch (error) {
    // A RateLimitError is not the visitor's fault, because all visitors share the quota of the key.
    const isBusy = error instanceof RateLimitError;
    state.textContent = isBusy ? 'Too many visitors. Try again soon.' : 'No animals today.';
    more.hidden = false;
    console.error(error);
  }
  more.disabled = false;
}

more.addEventListener('click', showPage);
await showPage();
