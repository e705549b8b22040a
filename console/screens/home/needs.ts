import type { Campaign, Ceilings, Conversation, Task, Template, WebhookEndpoint } from '../../../client/client.ts';
import type { LinkProps } from '@tanstack/react-router';
import type { Answer } from '../../data/client.ts';
import type { IconName } from '../../components/icons.tsx';
import type { homeText } from '../../text/home.ts';
import type { TextOf } from '../../text/text.ts';

type BusinessNumber = Answer<'listNumbers'>['data'][number];

/** What was read of each; undefined: not read, or not shown to this user. */
export interface ReadOfCompany {
  /** Those that wait for an answer, and whether there are more of them. */
  waiting?: { rows: readonly Conversation[]; hasMore: boolean } | undefined;
  endpoints?: readonly WebhookEndpoint[] | undefined;
  numbers?: readonly BusinessNumber[] | undefined;
  templates?: readonly Template[] | undefined;
  tasks?: { rows: readonly Task[]; hasMore: boolean } | undefined;
  campaigns?: readonly Campaign[] | undefined;
  ceilings?: Pick<Ceilings, 'day' | 'month'> | undefined;
}

/** Something that waits for a user: what it is, and where it is done. */
export interface Need {
  id: string;
  icon: IconName;
  isUrgent: boolean;
  words: string;
  link: Pick<LinkProps, 'to' | 'params' | 'search'>;
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const longWaitMs = hourMs;
const closingMs = 3 * hourMs;
/** How long a refusal is shown. */
const recentMs = 7 * dayMs;

type HomeText = TextOf<typeof homeText>;

/** What waits for a user now, the most urgent first. `count` writes a number, `since` a length of time. */
export const needsOf = (
  read: ReadOfCompany,
  now: number,
  text: HomeText,
  { count, since }: { count: (value: number) => string; since: (ms: number) => string },
): Need[] => {
  const { waiting, endpoints = [], numbers = [], templates = [], tasks, campaigns = [], ceilings } = read;
  const many = (value: number, hasMore: boolean): string => (hasMore ? text.atLeast(count(value)) : count(value));
  const needs: (Need | undefined)[] = [
    closing(waiting?.rows ?? [], now, text, since),
    longWait(waiting, now, text, { many, since }),
    ...endpoints.map((endpoint) => failing(endpoint, text)),
    ...(['day', 'month'] as const).map((period) => nearlySpent(period, ceilings?.[period], text, count)),
    ...numbers.map((number) => troubled(number, text)),
    ...campaigns.map((campaign) => stopped(campaign, text)),
    ...templates.map((template) => refused(template, now, text)),
    tasks && tasks.rows.length > 0
      ? {
          id: 'tasks',
          icon: 'check',
          isUrgent: false,
          words: text.lateTasks(tasks.rows.length, many(tasks.rows.length, tasks.hasMore)),
          link: { to: '/sales/tasks', search: { status: 'overdue', user: 'me' } },
        }
      : undefined,
  ];
  return needs.filter((need) => need !== undefined).toSorted((one, other) => Number(other.isUrgent) - Number(one.isUrgent));
};

/** Who can be answered with free text for a few hours more only. */
function closing(rows: readonly Conversation[], now: number, text: HomeText, since: (ms: number) => string): Need | undefined {
  const left = ({ window }: Conversation): number => Date.parse(window.expires_at ?? '') - now;
  const soon = rows
    .filter((row) => row.window.open && left(row) > 0 && left(row) <= closingMs)
    .toSorted((one, other) => left(one) - left(other));
  const [first] = soon;
  if (!first) return undefined;
  const name = first.contact.name ?? first.contact.phone;
  return {
    id: 'closing',
    icon: 'clock',
    isUrgent: true,
    words: text.windowCloses(name, since(Math.max(minuteMs, left(first))), soon.length - 1),
    link: { to: '/inbox/$id', params: { id: first.id } },
  };
}

function longWait(
  waiting: ReadOfCompany['waiting'],
  now: number,
  text: HomeText,
  { many, since }: { many: (value: number, hasMore: boolean) => string; since: (ms: number) => string },
): Need | undefined {
  const waits = (waiting?.rows ?? []).map(({ waiting_since: at, last_inbound_at: before }) => now - Date.parse(at ?? before ?? ''));
  const long = waits.filter((ms) => ms >= longWaitMs);
  if (long.length === 0) return undefined;
  const words = text.waitLong(long.length, many(long.length, waiting?.hasMore === true), since(Math.max(...long)));
  return { id: 'waiting', icon: 'inbox', isUrgent: true, words, link: { to: '/inbox', search: { waits: 1 } } };
}

function failing({ id, url, status, disabled_reason: why, failing_since: since }: WebhookEndpoint, text: HomeText): Need | undefined {
  const isOff = status === 'disabled' && why !== 'by_user';
  if (!isOff && since === null) return undefined;
  const host = URL.canParse(url) ? new URL(url).host : url;
  const words = isOff ? text.endpointOff(host) : text.endpointFails(host);
  return { id: `endpoint-${id}`, icon: 'webhook', isUrgent: true, words, link: { to: '/developers/webhooks/$id', params: { id } } };
}

/** From four fifths of a ceiling on, as the event `spend.alert`; urgent where hardly a message is left. */
function nearlySpent(
  period: 'day' | 'month',
  ceiling: Ceilings['day'] | undefined,
  text: HomeText,
  count: (value: number) => string,
): Need | undefined {
  const [limit, left] = [Number(ceiling?.limit), Number(ceiling?.left)];
  // a ceiling of nothing is spent at once
  const percent = limit > 0 ? Math.floor(((limit - left) / limit) * 100) : 100;
  if (!ceiling || percent < 80) return undefined;
  const words = period === 'day' ? text.daySpent(count(percent)) : text.monthSpent(count(percent));
  return { id: `ceiling-${period}`, icon: 'coins', isUrgent: percent >= 99, words, link: { to: '/spend/ceilings' } };
}

function troubled({ id, phone, status, quality, restrictions }: BusinessNumber, text: HomeText): Need | undefined {
  if (status !== 'active') return undefined;
  const words =
    restrictions.length > 0
      ? text.numberRestricted(phone)
      : quality === 'RED' || quality === 'YELLOW'
        ? text.numberQuality(phone, quality)
        : undefined;
  if (words === undefined) return undefined;
  return {
    id: `number-${id}`,
    icon: 'phone',
    isUrgent: restrictions.length > 0 || quality === 'RED',
    words,
    link: { to: '/settings/numbers/$id', params: { id } },
  };
}

function stopped({ id, name, status, pause_reason: why }: Campaign, text: HomeText): Need | undefined {
  const words = status === 'paused' && why !== 'user' ? text.campaignPaused(name) : undefined;
  return words === undefined
    ? undefined
    : { id: `campaign-${id}`, icon: 'megaphone', isUrgent: true, words, link: { to: '/campaigns/$id', params: { id } } };
}

function refused({ id, name, status, updated_at: at }: Template, now: number, text: HomeText): Need | undefined {
  const isRecent = now - Date.parse(at) < recentMs;
  if (!isRecent || (status !== 'REJECTED' && status !== 'PAUSED')) return undefined;
  const words = status === 'REJECTED' ? text.templateRefused(name) : text.templatePaused(name);
  return { id: `template-${id}`, icon: 'template', isUrgent: false, words, link: { to: '/templates', search: { entry: id } } };
}
