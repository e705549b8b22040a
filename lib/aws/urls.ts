import type { Stack } from 'aws-cdk-lib';
import { type CfnUrl, type Function as Lambda, FunctionUrl, FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import type { HttpFunction } from '../../shared/contract/context.ts';
import { type Address, routeKey } from './addresses.ts';
import { idOf } from './naming.ts';

/** Which routes a function URL is for: AWS sends it every path, the laptop serves just these from its one port. */
export const routesMetadata = 'switchboard:routes';

/**
 * A function's own URL, for webhooks: it answers without the API's share of latency, takes raw bytes, and a flood of statuses does not
 * use up the API's throttle. It is open to all, because the senders cannot sign AWS requests; the function checks the token in the path
 * and the signature of the body.
 */
export const makeUrl = (stack: Stack, spec: HttpFunction, target: Lambda, addresses: readonly Address[]): FunctionUrl => {
  const url = new FunctionUrl(stack, idOf(spec.name, 'url'), { function: target, authType: FunctionUrlAuthType.NONE });
  (url.node.defaultChild as CfnUrl).addMetadata(routesMetadata, addresses.map(routeKey));
  return url;
};
