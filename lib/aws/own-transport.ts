import type { SdkHttpHandler, SdkRequest } from '../../shared/runtime/http-handler.ts';
import { signatureHeaders } from '../../shared/runtime/sign.ts';

/**
 * Replaces the SDK's HTTP handler in the product's bundles (lib/bundle.ts): each client brings the product's own (shared/runtime/aws-client.ts),
 * and the SDK would load its own beside it, 7 KB of each start.
 */
export const NodeHttpHandler = {
  create: (given: SdkHttpHandler | (() => unknown)): SdkHttpHandler => {
    if (typeof given === 'function') throw new Error("The SDK's HTTP handler is left out of the bundles: give the client withTimeouts().");
    return given;
  },
};

/** The product's handler answers with bytes, of which there is nothing to collect. */
export const streamCollector = (): never => {
  throw new Error('Streams are left out of the bundles: see lib/aws/own-transport.ts.');
};

interface SignerOptions {
  service: string;
  region: string | (() => Promise<string>);
  credentials: Credentials | (() => Promise<Credentials>);
}
interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** Replaces the SDK's signer, 10 KB, by the one that the table's calls have (shared/runtime/sign.ts). */
export class SignatureV4 {
  readonly #options: SignerOptions;

  constructor(options: SignerOptions) {
    this.#options = options;
  }

  async sign(
    request: SdkRequest,
    {
      signingDate = new Date(),
      signingRegion,
      signingService,
    }: { signingDate?: Date; signingRegion?: string; signingService?: string } = {},
  ): Promise<SdkRequest> {
    // what a signature has of a query, or of a path that is encoded, is not made here
    if (request.method !== 'POST' || Object.keys(request.query ?? {}).length > 0 || !/^[\w/.-]*$/.test(request.path))
      throw new Error('Only a POST to a plain path without a query is signed here.');
    const { service, region, credentials } = this.#options;
    const [ownRegion, who] = await Promise.all([
      typeof region === 'function' ? region() : region,
      typeof credentials === 'function' ? credentials() : credentials,
    ]);
    const { path, headers, body = '' } = request;
    const signing = { service: signingService ?? service, region: signingRegion ?? ownRegion, credentials: who, path, headers, body };
    return { ...request, headers: signatureHeaders({ ...signing, at: new Date(signingDate) }) };
  }
}
