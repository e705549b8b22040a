import type { JSX, ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Template } from '../../../client/client.ts';
import { Facts } from '../../components/page.tsx';
import { formatCount } from '../../components/time.tsx';
import type { Answer } from '../../data/client.ts';
import { read } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { templatesText } from '../../text/templates.ts';
import { useLocale, useText } from '../../text/text.ts';

const staleTime = 60_000;

/** Where it is used: the newest campaigns, what the shop sends by itself, and the codes of verification. */
export const TemplateUses = ({ template }: { template: Template }): JSX.Element => {
  const text = useText(templatesText);
  const isAdmin = useMay('admin');
  const campaigns = useQuery({ ...read('listCampaigns', { query: { limit: 100 } }), staleTime }).data?.data ?? [];
  const shop = useQuery({ ...read('getShopSettings'), staleTime }).data?.data;
  const codes = useQuery({ ...read('listVerificationTemplates', {}), enabled: isAdmin, staleTime }).data?.data ?? [];
  const mine = campaigns.filter((each) => each.template_id === template.id && each.status !== 'deleted');
  const isOrder = Object.values(shop?.order_notifications ?? {}).some((each) => each.template_id === template.id);
  const isCart = shop?.abandoned_cart.enabled === true && shop.abandoned_cart.template_id === template.id;
  const profiles = new Set(
    codes.filter((each) => each.provider_template === template.name && each.language === template.language).map((each) => each.profile_id),
  );
  const uses: readonly (readonly [string, ReactNode])[] = [
    ...mine.slice(0, most).map(({ id, name }): [string, ReactNode] => [
      `campaign ${id}`,
      <>
        {text.campaign}{' '}
        <Link to="/campaigns/$id" params={{ id }} dir="auto">
          {name}
        </Link>
      </>,
    ]),
    ...(isOrder ? [['orders', <Link to="/shop/messages">{text.ofOrders}</Link>] as const] : []),
    ...(isCart ? [['carts', <Link to="/shop/messages">{text.ofCarts}</Link>] as const] : []),
    ...[...profiles].map((profile): [string, ReactNode] => [
      `profile ${profile}`,
      <>
        {text.verification}{' '}
        <Link to="/verification/profiles/$profile" params={{ profile }} dir="auto">
          {profile}
        </Link>
      </>,
    ]),
  ];
  return (
    <section>
      <h3>{text.usedBy}</h3>
      {uses.length === 0 ? (
        <p className="muted">{text.unused}</p>
      ) : (
        <ul className="template-uses">
          {uses.map(([key, use]) => (
            <li key={key}>{use}</li>
          ))}
          {mine.length > most && <li className="muted">{text.moreCampaigns(mine.length - most)}</li>}
        </ul>
      )}
    </section>
  );
};

const most = 5;

interface Figures {
  sent: number;
  delivered: number;
  read: number;
  pressed?: number;
}

/** How often it was sent and read: what the provider counted in 30 days, and where it counts nothing, what campaigns with it did. */
export const TemplateFigures = ({ template: { id } }: { template: Template }): JSX.Element | null => {
  const text = useText(templatesText);
  const { tag } = useLocale();
  const counted = useQuery({ ...read('getTemplateAnalytics', { params: { id }, query: {} }), staleTime, retry: false });
  const isWithout = counted.isError || counted.data?.data.days.length === 0;
  const compared = useQuery({
    ...read('compareCampaigns', { query: { template_id: id, limit: 100 } }),
    enabled: isWithout,
    staleTime,
    retry: false,
  });
  const theirs = counted.data && !isWithout ? figuresOf(counted.data.data.days) : undefined;
  const own = isWithout && compared.data ? ownFigures(compared.data.data.campaigns) : undefined;
  const figures = theirs ?? own;
  if (!figures || figures.sent === 0) return null;
  const share = (of: number): string =>
    `${formatCount(tag, of)} (${new Intl.NumberFormat(tag, { style: 'percent' }).format(of / figures.sent)})`;
  return (
    <section>
      <h3>{theirs ? text.counted : text.countedHere}</h3>
      <Facts
        facts={[
          [text.sent, formatCount(tag, figures.sent)],
          [text.delivered, share(figures.delivered)],
          [text.read, share(figures.read)],
          figures.pressed === undefined ? undefined : [text.pressed, share(figures.pressed)],
        ]}
      />
    </section>
  );
};

type Day = Answer<'getTemplateAnalytics'>['data']['days'][number];

const figuresOf = (days: readonly Day[]): Figures => {
  const sum = (of: (day: Day) => number | null): number => days.reduce((total, day) => total + (of(day) ?? 0), 0);
  const pressed = days.some(({ clicked }) => clicked !== null)
    ? {
        pressed: sum(({ clicked }) =>
          (clicked ?? []).filter(({ type }) => type !== 'unique_url_button').reduce((all, { count }) => all + count, 0),
        ),
      }
    : {};
  return { sent: sum(({ sent }) => sent), delivered: sum(({ delivered }) => delivered), read: sum((day) => day.read), ...pressed };
};

const ownFigures = (campaigns: Answer<'compareCampaigns'>['data']['campaigns']): Figures => {
  const sum = (of: 'accepted' | 'delivered' | 'read'): number => campaigns.reduce((total, { funnel }) => total + funnel[of], 0);
  return { sent: sum('accepted'), delivered: sum('delivered'), read: sum('read') };
};
