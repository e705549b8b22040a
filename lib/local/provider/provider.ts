/**
 * A stand-in for the messaging provider, on loopback only: its API, its webhooks, its errors, and what goes wrong with it on demand.
 * Everything it has acknowledged is in `provider.db` of its folder and survives a killed process; faults that were set do not.
 */
import type { AddressInfo } from 'node:net';
import { createAccounts } from './accounts.ts';
import { createApi } from './api.ts';
import { createBilling } from './billing.ts';
import { createReach } from './reach.ts';
import { createPricingAnalytics } from './pricing-analytics.ts';
import { openBlockedUsers } from './blocked-users.ts';
import { createControl } from './control.ts';
import { openDatabase } from './database.ts';
import { createDelivery } from './delivery.ts';
import { createFaults } from './faults.ts';
import { createInbound } from './inbound.ts';
import { openLedger } from './ledger.ts';
import { openLinks } from './links.ts';
import { openMedia } from './media.ts';
import { createMessages } from './messages.ts';
import { openPhoneTools } from './phone-tools.ts';
import { openProfiles } from './profiles.ts';
import { openRegistry } from './registry.ts';
import { openSignup } from './signup.ts';
import { createTemplateAnalytics } from './template-analytics.ts';
import { createTemplates } from './templates.ts';
import { openUsers } from './users.ts';

export interface Provider {
  /** The provider's root, without a slash at its end: clients add `/v19.0/...`; it also serves `/siteverify`. */
  url: string;
  /** `/_local/provider/*`, the path with its query; undefined when the route is not the provider's. */
  control(method: string, path: string, body: unknown): Promise<{ status: number; body: unknown } | undefined>;
  /** Webhook updates not yet delivered: due now or within 2 s, in flight, or failed with a repetition within 15 s. */
  pendingNow(): number;
  /** Epoch milliseconds of the next timed delivery. */
  nextDueAt(): number | undefined;
  stop(): Promise<void>;
}

export interface ProviderOptions {
  dataDir: string;
  /** On 127.0.0.1; without it the system chooses one. */
  port?: number;
  log: (line: string) => void;
  /** Fails free-form messages outside the 24-hour window, as the provider does (true), unless the fault `enforce_window` says otherwise. */
  enforcesWindow?: boolean;
}

/** Fails when the port is taken or the folder cannot be written. */
export async function startProvider(options: ProviderOptions): Promise<Provider> {
  const { log } = options;
  const database = openDatabase(options.dataDir);
  const registry = openRegistry(database);
  const ledger = openLedger(database);
  const media = openMedia(database);
  const faults = createFaults(options.enforcesWindow ?? true);
  const users = openUsers(database, registry);
  const delivery = createDelivery({ ledger, registry, users, faults, log });
  const templates = createTemplates({ registry, delivery });
  const analytics = createTemplateAnalytics({ ledger, registry, faults });
  const tools = openPhoneTools(database, registry);
  const billing = createBilling(ledger);
  const pricingAnalytics = createPricingAnalytics({ billing, registry });
  const reach = createReach(billing);
  const accounts = createAccounts({ billing, registry, faults, tools });
  const blocked = openBlockedUsers(database, ledger, users);
  const links = openLinks(database);
  const profiles = openProfiles(database);
  const signup = openSignup(database, { registry, delivery });
  const messages = createMessages({ billing, blocked, ledger, registry, users, faults, delivery, media });
  const server = createApi({
    blocked,
    links,
    profiles,
    tools,
    signup,
    registry,
    users,
    faults,
    messages,
    templates,
    analytics,
    pricingAnalytics,
    reach,
    media,
    accounts,
    log,
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${portOf(server.address())}`;
  const inbound = createInbound({ blocked, ledger, registry, users, delivery, media, base: () => url });
  const control = createControl({ signup, ledger, registry, users, faults, delivery, templates, inbound, billing });

  return {
    url,
    control: (method, path, body) => Promise.resolve(control(method, path, body)),
    pendingNow: () => delivery.pendingNow(),
    nextDueAt: () => delivery.nextDueAt(),
    async stop() {
      delivery.stop();
      accounts.stop();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
      ledger.flush();
      database.close();
    },
  };
}

function portOf(address: string | AddressInfo | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
