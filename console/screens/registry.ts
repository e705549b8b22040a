import type { IconName } from '../components/icons.tsx';
import type { Role } from '../data/session.ts';
import type { shellText } from '../text/shell.ts';
import type { TextOf } from '../text/text.ts';

type ShellText = TextOf<typeof shellText>;

/** An area of the console: an entry of the navigation, and the screens below its path. One folder each in screens/. */
interface Area {
  id: string;
  path: `/${string}`;
  icon: IconName;
  /** Its name in the texts of the shell. */
  label: keyof ShellText;
  /** The least role to whom it is shown. */
  role: Role;
  /** The second key after G that leads here. */
  key: string;
}

/** All areas, in the order of the navigation. A new one is a line here, its screens in app/router.tsx and a folder. */
export const areas = [
  { id: 'home', path: '/home', icon: 'home', label: 'home', role: 'viewer', key: 'h' },
  { id: 'inbox', path: '/inbox', icon: 'inbox', label: 'inbox', role: 'viewer', key: 'i' },
  { id: 'contacts', path: '/contacts', icon: 'users', label: 'contacts', role: 'viewer', key: 'c' },
  { id: 'campaigns', path: '/campaigns', icon: 'megaphone', label: 'campaigns', role: 'viewer', key: 'm' },
  { id: 'templates', path: '/templates', icon: 'template', label: 'templates', role: 'viewer', key: 't' },
  { id: 'sales', path: '/sales', icon: 'chart', label: 'sales', role: 'viewer', key: 'l' },
  { id: 'shop', path: '/shop', icon: 'building', label: 'shop', role: 'viewer', key: 'o' },
  { id: 'spend', path: '/spend', icon: 'coins', label: 'spend', role: 'viewer', key: 'p' },
  { id: 'verification', path: '/verification', icon: 'shield', label: 'verification', role: 'admin', key: 'v' },
  { id: 'developers', path: '/developers', icon: 'code', label: 'developers', role: 'viewer', key: 'd' },
  { id: 'settings', path: '/settings', icon: 'gear', label: 'settings', role: 'viewer', key: 's' },
] as const satisfies readonly Area[];
