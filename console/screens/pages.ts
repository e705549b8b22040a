import type { IconName } from '../components/icons.tsx';
import type { AreaPage } from '../components/subnav.tsx';
import type { Role } from '../data/session.ts';
import type { developersText } from '../text/developers.ts';
import type { salesText } from '../text/sales.ts';
import type { settingsText } from '../text/settings.ts';
import type { shopText } from '../text/shop.ts';
import type { spendText } from '../text/spend.ts';
import type { TextOf } from '../text/text.ts';
import type { verificationText } from '../text/verification.ts';

/** The names of the texts that are words and take no values. */
type WordsOf<Text> = { [Name in keyof Text & string]: Text[Name] extends string ? Name : never }[keyof Text & string];

/** The pages of the area with these texts, in the order of its list; the first is the area's own. A page without a role is shown to all. */
const pagesOf = <C>(
  ...pages: readonly (readonly [to: AreaPage<string>['to'], label: WordsOf<TextOf<C>>, icon: IconName, role?: Role])[]
): readonly AreaPage<WordsOf<TextOf<C>>>[] => pages.map(([to, label, icon, role = 'viewer']) => ({ to, label, icon, role }));

export const salesPages = pagesOf<typeof salesText>(
  ['/sales', 'board', 'chart'],
  ['/sales/tasks', 'tasks', 'check'],
  ['/sales/reports', 'reports', 'list'],
);

export const shopPages = pagesOf<typeof shopText>(
  ['/shop', 'orders', 'list'],
  ['/shop/carts', 'carts', 'clock'],
  ['/shop/products', 'products', 'template'],
  ['/shop/categories', 'categories', 'file'],
  ['/shop/messages', 'messages', 'send'],
  ['/shop/connections', 'connections', 'link'],
  ['/shop/incoming', 'incoming', 'download', 'admin'],
  ['/shop/privacy', 'privacy', 'shield', 'admin'],
);

export const spendPages = pagesOf<typeof spendText>(
  ['/spend', 'overview', 'chart'],
  ['/spend/rates', 'rates', 'list'],
  ['/spend/ceilings', 'ceilings', 'shield'],
  ['/spend/bill', 'bill', 'check'],
);

export const verificationPages = pagesOf<typeof verificationText>(
  ['/verification', 'overview', 'chart', 'admin'],
  ['/verification/requests', 'requests', 'list', 'admin'],
  ['/verification/profiles', 'profiles', 'key', 'admin'],
  ['/verification/blocks', 'blocks', 'shield', 'admin'],
  ['/verification/exceptions', 'exceptions', 'check', 'admin'],
);

export const settingsPages = pagesOf<typeof settingsText>(
  ['/settings', 'company', 'building'],
  ['/settings/people', 'people', 'users'],
  ['/settings/numbers', 'numbers', 'phone'],
  ['/settings/keywords', 'keywords', 'note'],
  ['/settings/fields', 'fields', 'list'],
  ['/settings/usage', 'usage', 'chart'],
  ['/settings/audit', 'audit', 'shield', 'admin'],
  ['/settings/sessions', 'sessions', 'signout'],
  ['/settings/preferences', 'preferences', 'bell'],
);

export const developersPages = pagesOf<typeof developersText>(
  ['/developers', 'events', 'bolt'],
  ['/developers/deliveries', 'deliveries', 'send', 'admin'],
  ['/developers/requests', 'requests', 'list', 'admin'],
  ['/developers/webhooks', 'webhooks', 'webhook', 'admin'],
  ['/developers/tokens', 'tokens', 'key'],
  ['/developers/addresses', 'addresses', 'link', 'admin'],
  ['/developers/signatures', 'signatures', 'shield'],
  ['/developers/reference', 'reference', 'file'],
);
