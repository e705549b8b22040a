import { fromEnv } from '@aws-sdk/credential-provider-env';
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import * as z from 'zod';
import { doorbellChannel, doorbellPublishVariable } from '../../../shared/contract/doorbell.ts';
import { setting } from '../../../shared/runtime/env.ts';
import { bodyWithin, fetchService } from '../../../shared/runtime/fetch.ts';
import { jsonOf } from '../../../shared/runtime/json.ts';
import { processValue } from '../../../shared/runtime/memory.ts';

const published = z.object({ failed: z.array(z.unknown()) });

/**
 * Rings the pages of a company. Throws where AppSync refuses it. The SDK has no client for it:
 * https://docs.aws.amazon.com/appsync/latest/eventapi/publish-http.html
 */
export const publishRing = async (companyId: number, signal: AbortSignal): Promise<void> => {
  const url = new URL(setting(doorbellPublishVariable));
  const body = JSON.stringify({ channel: doorbellChannel(companyId), events: [JSON.stringify('look')] });
  const { headers } = await signer().sign({
    method: 'POST',
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    headers: { host: url.host, 'content-type': 'application/json' },
    body,
  });
  const answer = await fetchService(url.href, { method: 'POST', headers, body, signal });
  const text = (await bodyWithin(answer, 10_000)) ?? Buffer.alloc(0);
  if (!answer.ok || (published.safeParse(jsonOf(text)).data?.failed.length ?? 1) > 0)
    throw new Error(`The doorbell answered ${answer.status}.`);
};

/** The credentials of a function's role are in its environment. */
const signer = processValue(
  () => new SignatureV4({ service: 'appsync', region: setting('AWS_REGION'), credentials: fromEnv(), sha256: Sha256 }),
);
