// This script adds a form to each operation, with which a reader can send a request. The fields come
// from the OpenAPI document. A pasted API key is never stored.

const newElement = (name, members = {}, ...children) => {
  const element = Object.assign(document.createElement(name), members);
  element.append(...children);
  return element;
};

/**
 * The fields for the API key in all forms. A key that is pasted into one field appears in all
 * fields.
 */
const keys = new Set();

const response = await fetch('/openapi.json');
if (response.ok) {
  const { paths, servers } = await response.json();
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      // The operation is not implemented yet, so it gets no form.
      if (operation['x-hideTryItPanel']) continue;
      const after = document.getElementById(`${operation.operationId}-samples`);
      after.before(tryOutOf(method.toUpperCase(), path, operation, servers.slice(1)));
    }
  }
}

function tryOutOf(method, path, { summary, parameters = [], requestBody }, servers) {
  const form = newElement('form');
  const field = (label, input) => {
    form.append(newElement('label', {}, label, input));
    return input;
  };
  const key = field('API key', newElement('input', { type: 'password', autocomplete: 'off' }));
  keys.add(key);
  key.addEventListener('input', () => {
    for (const other of keys) other.value = key.value;
  });
  const server = newElement('select');
  // Requests go to the origin of the page, even if PUBLIC_URL is different.
  for (const url of [`${location.origin}/v1`, ...servers.map(({ url }) => url)]) {
    server.append(newElement('option', { value: url }, url));
  }
  if (servers.length > 0) field('Server', server);
  const inputs = parameters.map((parameter) => {
    const { name, required, example } = parameter;
    const input = newElement('input', { required, autocomplete: 'off', spellcheck: false });
    if (required && example !== undefined) input.value = String(example);
    else if (example !== undefined) input.placeholder = String(example);
    return { ...parameter, input: field(required ? `${name} (required)` : name, input) };
  });
  const example = requestBody?.content['application/json'].example;
  const body = requestBody && newElement('textarea', { rows: 5, spellcheck: false });
  if (body !== undefined) {
    body.value = JSON.stringify(example, null, 2);
    field('Body', body);
  }
  const answer = newElement('output');
  const send = newElement('button', { type: 'submit' }, 'Send');
  form.append(send, answer);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const fault = headerFault(key, inputs);
    if (fault !== undefined) {
      answer.replaceChildren(fault.message);
      fault.input.focus();
      return;
    }
    const filled = inputs.filter(({ input }) => input.value !== '');
    const filledIn = (place) => filled.filter((each) => each.in === place);
    const headers = filledIn('header').map(({ name, input }) => [name, input.value]);
    if (key.value !== '') headers.push(['Authorization', `Bearer ${key.value.trim()}`]);
    if (body !== undefined) headers.push(['Content-Type', 'application/json']);
    const query = new URLSearchParams(
      filledIn('query').map(({ name, input }) => [name, input.value]),
    );
    const target = filledIn('path').reduce(
      (text, { name, input }) =>
        text.replace(`{${name}}`, encodeURIComponent(input.value.toWellFormed())),
      path,
    );
    const url = `${server.value}${target}${query.size > 0 ? `?${query}` : ''}`;
    send.disabled = true;
    try {
      const answered = await fetch(url, { method, headers, body: body?.value, cache: 'no-store' });
      showAnswer(answer, `${method} ${url}`, answered, await answered.text());
    } catch (error) {
      answer.replaceChildren(`No response: ${error.message}`);
    }
    send.disabled = false;
  });
  return newElement(
    'details',
    { className: 'try' },
    newElement(
      'summary',
      {},
      'Try it',
      newElement('span', { className: 'unseen' }, `: ${summary}`),
    ),
    form,
  );
}

/**
 * Finds a field whose text contains a character that no header can contain, such as the `…` of a
 * shortened API key. For such a text, `fetch` fails as if the service did not respond.
 */
function headerFault(key, inputs) {
  const fields = [
    {
      name: 'API key',
      input: key,
      advice: 'Paste the complete API key, as it was shown when it was created.',
    },
    ...inputs
      .filter((each) => each.in === 'header')
      .map((each) => ({ ...each, advice: 'Remove the character.' })),
  ];
  for (const { name, input, advice } of fields) {
    const [found] = /[^\t\x20-\x7e\x80-\xff]/u.exec(input.value.trim()) ?? [];
    if (found === undefined) continue;
    const code = found.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
    const message = `${name}: a header cannot contain the character “${found}” (U+${code}), so nothing was sent. ${advice}`;
    return { input, message };
  }
}

/**
 * Shows a response below its request. The body is shown as received. Parsing could change it,
 * because a JavaScript number cannot represent every 64-bit integer.
 */
function showAnswer(place, request, { status, headers }, body) {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  const text = [request, '', `HTTP ${status}`, ...lines, '', body].join('\n');
  const code = newElement('pre', { tabIndex: 0 }, newElement('code', {}, text));
  place.replaceChildren(code);
}
