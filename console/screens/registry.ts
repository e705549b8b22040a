import type { ComponentType } from 'react';
import type { IconName } from '../components/icons.tsx';
import type { Role } from '../data/session.ts';
import type { shellText } from '../text/shell.ts';

type ShellText = (typeof shellText)['en'];

/** A screen: its path below the console, and the chunk that is loaded with it. */
export interface Page {
  path: string;
  load: () => Promise<{ default: ComponentType }>;
}

/** An area of the console: an entry of the navigation, and the screens below its path. One folder each in screens/. */
export interface Area {
  id: string;
  path: string;
  icon: IconName;
  /** Its name in the texts of the shell. */
  label: keyof ShellText;
  /** The least role to whom it is shown. */
  role: Role;
  /** The second key after G that leads here. */
  key: string;
  /** Around every page of the area, such as a list of them. Renders an Outlet. */
  layout?: Page['load'];
  pages: readonly Page[];
}

/** All areas, in the order of the navigation. A new one is a line here and a folder. */
export const areas: readonly Area[] = [
  {
    id: 'inbox',
    path: '/inbox',
    icon: 'inbox',
    label: 'inbox',
    role: 'viewer',
    key: 'i',
    layout: () => import('./inbox/inbox.tsx'),
    pages: [
      { path: '/', load: () => import('./inbox/none.tsx') },
      { path: '/$id', load: () => import('./inbox/thread.tsx') },
    ],
  },
  {
    id: 'developers',
    path: '/developers',
    icon: 'code',
    label: 'developers',
    role: 'viewer',
    key: 'd',
    layout: () => import('./developers/layout.tsx'),
    pages: [
      { path: '/', load: () => import('./developers/events.tsx') },
      { path: '/deliveries', load: () => import('./developers/deliveries.tsx') },
      { path: '/webhooks', load: () => import('./developers/webhooks.tsx') },
      { path: '/webhooks/$id', load: () => import('./developers/webhook.tsx') },
      { path: '/tokens', load: () => import('./developers/tokens.tsx') },
      { path: '/addresses', load: () => import('./developers/addresses.tsx') },
      { path: '/signatures', load: () => import('./developers/signatures.tsx') },
      { path: '/reference', load: () => import('./developers/reference.tsx') },
    ],
  },
  {
    id: 'settings',
    path: '/settings',
    icon: 'gear',
    label: 'settings',
    role: 'viewer',
    key: 's',
    layout: () => import('./settings/layout.tsx'),
    pages: [
      { path: '/', load: () => import('./settings/company.tsx') },
      { path: '/people', load: () => import('./settings/people.tsx') },
      { path: '/numbers', load: () => import('./settings/numbers.tsx') },
      { path: '/numbers/$id', load: () => import('./settings/number.tsx') },
      { path: '/numbers/connect', load: () => import('./settings/connect.tsx') },
      { path: '/keywords', load: () => import('./settings/keywords.tsx') },
      { path: '/fields', load: () => import('./settings/fields.tsx') },
      { path: '/usage', load: () => import('./settings/usage.tsx') },
      { path: '/audit', load: () => import('./settings/audit.tsx') },
      { path: '/sessions', load: () => import('./settings/sessions.tsx') },
      { path: '/preferences', load: () => import('./settings/preferences.tsx') },
    ],
  },
];
