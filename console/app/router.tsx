import type { ComponentType } from 'react';
import { type AnyRoute, createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { SwitchboardProblem } from '../data/client.ts';
import { filtersIn } from '../data/search.ts';
import { takeStoreClaim } from '../data/store-claim.ts';
import { leaveSession, openSession, type Session } from '../data/session.ts';
import { leavePage, signedInNow } from '../data/signed-in.ts';
import { campaignsText } from '../text/campaigns.ts';
import { chartsText } from '../text/charts.ts';
import { contactsText } from '../text/contacts.ts';
import { developersText } from '../text/developers.ts';
import { homeText } from '../text/home.ts';
import { inboxText } from '../text/inbox.ts';
import { numberToolsText } from '../text/number-tools.ts';
import { openedText } from '../text/opened.ts';
import { salesText } from '../text/sales.ts';
import { secretText } from '../text/secret.ts';
import { settingsText } from '../text/settings.ts';
import { shopText } from '../text/shop.ts';
import { spendText } from '../text/spend.ts';
import { signupText } from '../text/signup.ts';
import { signInText } from '../text/sign-in.ts';
import { Crashed, NotFound } from './failures.tsx';
import { Shell } from './shell.tsx';
import { templatesText } from '../text/templates.ts';
import { verificationText } from '../text/verification.ts';
import { withTexts } from './with-texts.ts';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound, errorComponent: Crashed, validateSearch: filtersIn });

type Load = () => Promise<{ default: ComponentType }>;

/** A screen at a path below another one; its chunk is loaded with it. */
const screen = <P extends AnyRoute, const T extends string>(parent: P, path: T, load: Load) =>
  createRoute({ getParentRoute: () => parent, path, component: lazyRouteComponent(load) });

/** A screen of one record, whose path ends with the number of the record. */
const byNumber = {
  parse: ({ id }: { id: string }) => ({ id: Number(id) }),
  stringify: ({ id }: { id: number }) => ({ id: String(id) }),
};

const signIn = screen(
  root,
  '/sign-in',
  withTexts([signInText], () => import('../screens/sign-in/sign-in.tsx')),
);

/** Where the store app leads a merchant: what it hands over is out of the address before anything else is read or shown. */
const connectStore = createRoute({
  getParentRoute: () => root,
  path: '/connect-store',
  beforeLoad: ({ location }) => {
    takeStoreClaim(location.hash);
    redirect({ to: '/shop/connections', replace: true, throw: true });
  },
});

const loadInbox = withTexts([inboxText], () => import('../screens/inbox/inbox.tsx'));

/** Every page that needs a session: without a session, the sign-in page, and afterwards back to where it was. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: async ({ location }): Promise<{ session: Session }> => {
    if (signedInNow() === '') redirect({ to: '/sign-in', search: { next: location.href }, throw: true });
    // most days begin in the inbox: its part of the program comes beside the session. Where it does not come, the inbox's own route says so
    if (/^\/(inbox|$)/.test(location.pathname)) loadInbox().catch(() => undefined);
    return {
      session: await openSession().catch((error: unknown) => {
        if (error instanceof SwitchboardProblem && error.status === 401) return leaveSession();
        throw error;
      }),
    };
  },
  component: Shell,
});

const start = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: async ({ context: { session } }) => {
    const place = session.stored.get('place');
    session.stored.set('place', '');
    if (place !== '') await leavePage(`/console${place}`);
    redirect({ to: '/inbox', throw: true });
  },
});

const home = screen(
  shell,
  '/home',
  withTexts([homeText, chartsText], () => import('../screens/home/home.tsx')),
);

const inbox = screen(shell, '/inbox', loadInbox);
const thread = createRoute({
  getParentRoute: () => inbox,
  path: '/$id',
  params: byNumber,
  component: lazyRouteComponent(() => import('../screens/inbox/thread.tsx')),
});
const inboxScreens = inbox.addChildren([screen(inbox, '/', () => import('../screens/inbox/none.tsx')), thread]);

const contacts = screen(
  shell,
  '/contacts',
  withTexts([contactsText, openedText, inboxText], () => import('../screens/contacts/contacts.tsx')),
);
const contact = createRoute({
  getParentRoute: () => contacts,
  path: '/$id',
  params: byNumber,
  component: lazyRouteComponent(() => import('../screens/contacts/contact.tsx')),
});
/** In place of the list, so that the file is all there is to see. */
const importContacts = screen(
  shell,
  '/contacts/import',
  withTexts([contactsText], () => import('../screens/contacts/import.tsx')),
);
const contactsScreens = contacts.addChildren([contact]);

/** The list, and in its place one campaign. */
const campaigns = screen(
  shell,
  '/campaigns',
  withTexts([campaignsText, chartsText], async () => ({ default: Outlet })),
);
const campaign = createRoute({
  getParentRoute: () => campaigns,
  path: '/$id',
  params: byNumber,
  component: lazyRouteComponent(withTexts([openedText], () => import('../screens/campaigns/campaign.tsx'))),
});
const newCampaign = screen(
  campaigns,
  '/new',
  withTexts([openedText], () => import('../screens/campaigns/new-campaign.tsx')),
);
const campaignsScreens = campaigns.addChildren([
  screen(campaigns, '/', () => import('../screens/campaigns/campaigns.tsx')),
  screen(campaigns, '/comparison', () => import('../screens/campaigns/comparison.tsx')),
  newCampaign,
  campaign,
]);

/** The list, and in its place the builder of one. */
const templates = screen(
  shell,
  '/templates',
  withTexts([templatesText, openedText], async () => ({ default: Outlet })),
);
const editTemplate = createRoute({
  getParentRoute: () => templates,
  path: '/$id/edit',
  params: byNumber,
  component: lazyRouteComponent(() => import('../screens/templates/edit-template.tsx')),
});
const templatesScreens = templates.addChildren([
  screen(templates, '/', () => import('../screens/templates/templates.tsx')),
  screen(templates, '/new', () => import('../screens/templates/new-template.tsx')),
  screen(templates, '/library', () => import('../screens/templates/library.tsx')),
  editTemplate,
]);

const sales = screen(
  shell,
  '/sales',
  withTexts([salesText], () => import('../screens/sales/layout.tsx')),
);
const salesScreens = sales.addChildren([
  screen(sales, '/', () => import('../screens/sales/board.tsx')),
  screen(sales, '/tasks', () => import('../screens/sales/tasks.tsx')),
  screen(
    sales,
    '/reports',
    withTexts([chartsText], () => import('../screens/sales/reports.tsx')),
  ),
]);

const shop = screen(
  shell,
  '/shop',
  withTexts([shopText, chartsText, secretText, openedText], () => import('../screens/shop/layout.tsx')),
);
const shopScreens = shop.addChildren([
  screen(shop, '/', () => import('../screens/shop/orders.tsx')),
  screen(shop, '/carts', () => import('../screens/shop/carts.tsx')),
  screen(shop, '/products', () => import('../screens/shop/products.tsx')),
  screen(shop, '/categories', () => import('../screens/shop/categories.tsx')),
  screen(
    shop,
    '/messages',
    withTexts([settingsText], () => import('../screens/shop/messages.tsx')),
  ),
  screen(shop, '/connections', () => import('../screens/shop/connections.tsx')),
  screen(shop, '/incoming', () => import('../screens/shop/incoming.tsx')),
  screen(shop, '/privacy', () => import('../screens/shop/privacy.tsx')),
]);

const verification = screen(
  shell,
  '/verification',
  withTexts([verificationText, chartsText, secretText], () => import('../screens/verification/layout.tsx')),
);
const verificationScreens = verification.addChildren([
  screen(
    verification,
    '/',
    withTexts([spendText], () => import('../screens/verification/overview.tsx')),
  ),
  screen(verification, '/requests', () => import('../screens/verification/requests.tsx')),
  screen(verification, '/blocks', () => import('../screens/verification/blocks.tsx')),
  screen(verification, '/exceptions', () => import('../screens/verification/exceptions.tsx')),
  screen(verification, '/profiles', () => import('../screens/verification/profile-list.tsx')),
  screen(
    verification,
    '/profiles/$profile',
    withTexts([settingsText], () => import('../screens/verification/profile.tsx')),
  ),
]);

const developers = screen(
  shell,
  '/developers',
  withTexts([developersText, chartsText, secretText], () => import('../screens/developers/layout.tsx')),
);
const webhook = createRoute({
  getParentRoute: () => developers,
  path: '/webhooks/$id',
  params: byNumber,
  component: lazyRouteComponent(() => import('../screens/developers/webhook.tsx')),
});
const developersScreens = developers.addChildren([
  screen(developers, '/', () => import('../screens/developers/events.tsx')),
  screen(developers, '/deliveries', () => import('../screens/developers/deliveries.tsx')),
  screen(developers, '/requests', () => import('../screens/developers/requests.tsx')),
  screen(developers, '/webhooks', () => import('../screens/developers/webhooks.tsx')),
  webhook,
  screen(developers, '/tokens', () => import('../screens/developers/tokens.tsx')),
  screen(developers, '/addresses', () => import('../screens/developers/addresses.tsx')),
  screen(developers, '/signatures', () => import('../screens/developers/signatures.tsx')),
  screen(developers, '/reference', () => import('../screens/developers/reference.tsx')),
]);

const spend = screen(
  shell,
  '/spend',
  withTexts([spendText, chartsText], () => import('../screens/spend/layout.tsx')),
);
const spendScreens = spend.addChildren([
  screen(spend, '/', () => import('../screens/spend/overview.tsx')),
  screen(spend, '/rates', () => import('../screens/spend/rates.tsx')),
  screen(spend, '/bill', () => import('../screens/spend/bill.tsx')),
  screen(
    spend,
    '/ceilings',
    withTexts([settingsText], () => import('../screens/spend/ceilings.tsx')),
  ),
]);

const settings = screen(
  shell,
  '/settings',
  withTexts([settingsText, chartsText, secretText], () => import('../screens/settings/layout.tsx')),
);
const number = createRoute({
  getParentRoute: () => settings,
  path: '/numbers/$id',
  params: byNumber,
  component: lazyRouteComponent(() => import('../screens/settings/number.tsx')),
});
/** What the pages of one number have in common; their texts come with them. */
const ofNumber = (load: Load) => ({
  getParentRoute: () => settings,
  params: byNumber,
  component: lazyRouteComponent(withTexts([numberToolsText], load)),
});
const numberProfile = createRoute({
  ...ofNumber(() => import('../screens/settings/number-profile.tsx')),
  path: '/numbers/$id/profile',
});
const numberLinks = createRoute({ ...ofNumber(() => import('../screens/settings/number-links.tsx')), path: '/numbers/$id/links' });
const numberOffers = createRoute({
  ...ofNumber(() => import('../screens/settings/number-offers.tsx')),
  path: '/numbers/$id/suggestions',
});
const settingsScreens = settings.addChildren([
  screen(settings, '/', () => import('../screens/settings/company.tsx')),
  screen(settings, '/people', () => import('../screens/settings/people.tsx')),
  screen(settings, '/numbers', () => import('../screens/settings/numbers.tsx')),
  number,
  numberProfile,
  numberLinks,
  numberOffers,
  screen(settings, '/numbers/connect', () => import('../screens/settings/connect.tsx')),
  screen(
    settings,
    '/numbers/signup',
    withTexts([signupText], () => import('../screens/settings/signup.tsx')),
  ),
  screen(settings, '/keywords', () => import('../screens/settings/keywords.tsx')),
  screen(settings, '/fields', () => import('../screens/settings/fields.tsx')),
  screen(settings, '/usage', () => import('../screens/settings/usage.tsx')),
  screen(settings, '/audit', () => import('../screens/settings/audit.tsx')),
  screen(settings, '/sessions', () => import('../screens/settings/sessions.tsx')),
  screen(settings, '/preferences', () => import('../screens/settings/preferences.tsx')),
]);

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    connectStore,
    shell.addChildren([
      start,
      home,
      inboxScreens,
      contactsScreens,
      importContacts,
      campaignsScreens,
      templatesScreens,
      salesScreens,
      shopScreens,
      spendScreens,
      verificationScreens,
      developersScreens,
      settingsScreens,
    ]),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: Crashed,
  defaultPendingMs: 300,
});

declare module '@tanstack/react-router' {
  /** From here every link, address and filter has its type: one that is not of the tree above does not compile. */
  interface Register {
    router: typeof router;
  }
  interface HistoryState {
    /** A conversation was opened by a key. */
    byKeys?: boolean;
  }
}
