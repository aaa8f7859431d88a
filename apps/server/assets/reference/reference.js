// Starts the reference. It needs nothing from any other host: no fonts, no proxy, no telemetry.

const { bundle } = document.currentScript.dataset;

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
    // Only the samples that are tested.
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
});
document.head.append(script);

/** The button of its try-out is hidden by reference.css; this closes any other way to it. */
function refuseOrders({ request }) {
  if (new URL(request.url).pathname.endsWith('/store/orders')) {
    throw new Error('There is nothing to try yet.');
  }
}
