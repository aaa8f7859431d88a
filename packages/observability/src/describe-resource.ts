import {
  defaultResource,
  detectResources,
  hostDetector,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import * as semconv from '@opentelemetry/semantic-conventions';

/**
 * Returns the attributes that describe the service, its environment and this replica. Values from
 * environment variables take precedence.
 */
export function describeResource(version: string) {
  const ownResource = resourceFromAttributes({
    [semconv.ATTR_SERVICE_NAME]: 'animal-store',
    [semconv.ATTR_SERVICE_VERSION]: version,
  });
  const detectors = [
    hostDetector,
    serviceInstanceIdDetector,
    resourceAttributesEnvDetector,
    serviceNameEnvDetector,
  ];
  return defaultResource().merge(ownResource).merge(detectResources({ detectors }));
}
