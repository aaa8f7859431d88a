// Starts the reference. It needs nothing from any other host: no fonts, no proxy, no telemetry.

const { bundle } = document.currentScript.dataset;

// The first part of a fragment is a document's name to Scalar, so it would not find the guide that
// a link such as /docs#deprecation is about: the page goes there by itself.
const guide = guideOf(location.hash);
if (guide !== undefined) history.replaceState(null, '', location.pathname);
addEventListener('hashchange', () => goToGuide(guideOf(location.hash)));

// The bundle announces its version on the console, which is for what goes wrong.
const { info } = console;
console.info = () => {};

const script = document.createElement('script');
script.src = bundle;
script.addEventListener('load', () => {
  console.info = info;
  globalThis.Scalar.createApiReference('#reference', {
    url: '/docs/openapi.json',
    agent: { disabled: true },
    defaultOpenAllTags: true,
    documentDownloadType: 'none',
    // Links of the form /docs#deprecation are in headers, and must not change with the title.
    generateHeadingSlug: ({ slug }) => slug,
    // Only the samples that are tested: curl, the TypeScript client, fetch.
    hiddenClients: true,
    hideClientButton: true,
    // There is one way to authenticate; its name alone leaves room for the word "Required".
    localization: { translations: { apiClient: { authSelector: { selectedType: '{type}' } } } },
    mcp: { disabled: true },
    onBeforeRequest: refuseOrders,
    // A key that is pasted is forgotten with the page.
    persistAuth: false,
    showDeveloperTools: 'never',
    telemetry: false,
    withDefaultFonts: false,
  });
  goToGuide(guide);
});
document.head.append(script);

/** The button of its try-out is hidden by reference.css; this closes any other way to it. */
function refuseOrders({ request }) {
  if (new URL(request.url).pathname.endsWith('/store/orders')) {
    throw new Error('There is nothing to try yet.');
  }
}

function guideOf(hash) {
  return /^#[\w-]+$/.test(hash) ? hash.slice(1) : undefined;
}

/** Goes to a guide as soon as it is on the page. */
function goToGuide(id) {
  if (id === undefined) return;
  const heading = () => document.getElementById(id);
  if (heading()) {
    heading().scrollIntoView();
    return;
  }
  const observer = new MutationObserver(() => {
    if (!heading()) return;
    observer.disconnect();
    heading().scrollIntoView();
  });
  observer.observe(document.body, { childList: true, subtree: true });
}
