import { refusalsOf } from './refusals.ts';
import { type LimitClass, limits, type RouteSpec } from '../../shared/contract/route.ts';

/** What the reference says of an operation: its own description, then access and limits, which the route's values give. */
export const describedOperation = (route: RouteSpec): string =>
  [route.description, [refusalText(route), accessOf(route), limitText(route)].filter((each) => each !== undefined).join('  \n')]
    .filter((each) => each !== undefined && each !== '')
    .join('\n\n');

const scopeAndRole = ({ scope, role }: { scope?: string; role: string }): string =>
  scope === undefined ? `any token or session of a user` : `scope \`${scope}\`, role ${role}${role === 'owner' ? '' : ' or above'}`;

function refusalText(route: RouteSpec): string | undefined {
  const kinds = refusalsOf(route);
  return kinds.length === 0 ? undefined : `**Refuses:** ${kinds.map((kind) => `\`${kind}\``).join(', ')}`;
}

function accessOf({ caller, path }: RouteSpec): string | undefined {
  switch (caller.kind) {
    case 'token':
      return `**Access:** ${scopeAndRole(caller)}`;
    case 'erp_token':
      return `**Access:** an ERP token${path.includes('{erp_token}') ? ' in the URL' : ''}`;
    case 'webhook_token':
      return '**Access:** a webhook token in the URL';
    case 'public_key':
      return `**Access:** the public or secret key of a verification profile, a signature, or a token with ${scopeAndRole(caller)}`;
    case 'public':
      return '**Access:** public';
  }
}

function limitText({ limit, addressLimit, ownLimit, caller }: RouteSpec): string {
  const text = (name: LimitClass): string => {
    const { perMinute, by } = limits[name];
    const credential = caller.kind === 'public_key' ? 'key or token' : 'token';
    return `${perMinute.toLocaleString('en-US')} a minute per ${{ ip: 'IP address', token: credential, company: by }[by]}`;
  };
  if (limit === 'receiver' && caller.kind === 'webhook_token')
    return `**Limit:** none for signed posts; ${text(limit)} for posts without a valid signature`;
  const counted = [limit, ...(addressLimit ? [addressLimit] : [])].map(text);
  return `**Limit:** ${ownLimit === undefined ? counted.join(', and ') : `${ownLimit}; in all ${counted.join(', and ')}`}`;
}
