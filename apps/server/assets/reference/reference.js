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
    // Links of the form /docs#deprecation are in headers, and must not change with the title.
    generateHeadingSlug: ({ slug }) => slug,
    // Only the samples that are tested: curl, the TypeScript client, fetch.
    hiddenClients: true,
    hideClientButton: true,
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
