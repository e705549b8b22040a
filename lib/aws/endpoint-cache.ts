/**
 * Replaces the SDK's cache of discovered endpoints in every bundle (lib/bundle.ts): endpoint discovery is off unless a setting that no function
 * has switches it on. The original brings a package for least recently used entries, 8 KB.
 */
export class EndpointCache {
  getEndpoint(): undefined {
    return undefined;
  }
  get(): undefined {
    return undefined;
  }
  set(): void {
    throw new Error('Endpoint discovery is left out of the bundles (lib/aws/endpoint-cache.ts).');
  }
  delete(): void {
    // holds nothing
  }
  has(): boolean {
    return false;
  }
  clear(): void {
    // holds nothing
  }
}
