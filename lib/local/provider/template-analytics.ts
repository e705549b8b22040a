/** `GET /{WABA_ID}/template_analytics`: counted from what was sent, reported and pressed. Prices are made up. */
import { dayMs } from '../../../shared/runtime/clock.ts';
import type { Answer } from './answer.ts';
import { refuse, refuseParameter } from './errors.ts';
import type { Faults } from './faults.ts';
import { type Ledger, statusBits, type TemplateSent } from './ledger.ts';
import type { Registry, Template } from './registry.ts';

const templatesMost = 10;
const daysBack = 90;
/** Reads and presses are counted for so long after a send; then they are 0. */
const countedMs = 7 * dayMs;
const refusals = { not_offered: 200005, not_enabled: 200007 } as const;
const metricTypes = ['sent', 'delivered', 'read', 'clicked', 'cost'];
/** Of a delivered message, in hundredths. */
const prices: Readonly<Record<string, number>> = { marketing: 10, utility: 2, authentication: 3 };

export function createTemplateAnalytics({ ledger, registry, faults }: { ledger: Ledger; registry: Registry; faults: Faults }) {
  return (wabaId: string, query: URLSearchParams): Answer => {
    const { template_analytics: refusal } = faults.settings();
    if (refusal !== undefined) return refuse(refusals[refusal]);
    const now = Date.now();
    const [start, end] = [startOfDay(query.get('start')), startOfDay(query.get('end'))];
    if (start === undefined) return refuseParameter('The parameter start is required.');
    if (end === undefined) return refuseParameter('The parameter end is required.');
    if (start > end) return refuseParameter('Param start must be before end.');
    if (start < now - daysBack * dayMs) return refuseParameter(`Param start must be within the last ${daysBack} days.`);
    if (query.get('granularity')?.toUpperCase() !== 'DAILY') return refuseParameter('Param granularity must be one of {DAILY}');
    const ids: string[] = query.get('template_ids')?.match(/\d+/g) ?? [];
    if (ids.length === 0) return refuseParameter('The parameter template_ids is required.');
    if (ids.length > templatesMost) return refuseParameter(`Param template_ids must have at most ${templatesMost} elements.`);
    const wanted: string[] = query.get('metric_types')?.toLowerCase().match(/\w+/g) ?? metricTypes;
    const numbers = new Set(registry.numbersOf({ waba_id: wabaId }).map((each) => each.phone_number_id));
    const sent = ledger.templatesSent(start, end + dayMs).filter((each) => numbers.has(each.phoneNumberId));
    const points = registry
      .templatesOf(wabaId)
      .filter(({ id }) => ids.includes(id))
      .flatMap((template) => pointsOf(template, sent, now))
      .map((point) => Object.fromEntries(Object.entries(point).filter(([name]) => !metricTypes.includes(name) || wanted.includes(name))));
    return { status: 200, body: { data: [{ granularity: 'DAILY', product_type: 'cloud_api', data_points: points }], paging: {} } };
  };
}
export type TemplateAnalytics = ReturnType<typeof createTemplateAnalytics>;

/** The days on which a template was sent. */
function pointsOf(template: Template, sent: readonly TemplateSent[], now: number): Record<string, unknown>[] {
  const own = sent.filter(({ name, language }) => name === template.name && language === template.language);
  const byDay = Map.groupBy(own, ({ at }) => at - (at % dayMs));
  return [...byDay].map(([day, messages]) => {
    const count = (status: keyof typeof statusBits): number => messages.filter(({ posted }) => posted & statusBits[status]).length;
    const counted = messages.filter(({ at }) => at > now - countedMs);
    const delivered = count('delivered');
    const hasButtons = template.category !== 'AUTHENTICATION' && quickReplies(template).length > 0;
    const spent = (delivered * (prices[template.category.toLowerCase()] ?? 0)) / 100;
    return {
      template_id: template.id,
      start: day / 1_000,
      end: (day + dayMs) / 1_000,
      sent: count('sent'),
      delivered,
      read: counted.filter(({ posted }) => posted & statusBits.read).length,
      ...(hasButtons && { clicked: quickReplies(template).map((label) => pressesOf(label, counted)) }),
      cost: [{ type: 'amount_spent', value: spent }, ...(delivered > 0 ? [{ type: 'cost_per_delivered', value: spent / delivered }] : [])],
    };
  });
}

function pressesOf(label: string, messages: readonly TemplateSent[]): Record<string, unknown> {
  const presses = messages.flatMap(({ at, clicks }) => clicks.filter((click) => click.text === label && click.at < at + countedMs));
  return { type: 'quick_reply_button', button_content: label, count: presses.length };
}

const quickReplies = ({ components }: Template): string[] =>
  components.flatMap(({ buttons }) => (buttons ?? []).flatMap(({ type, text }) => (type === 'QUICK_REPLY' && text ? [text] : [])));

/** Epoch milliseconds of the beginning of a day, from Unix seconds within it or its date. */
function startOfDay(given: string | null): number | undefined {
  const at = given === null ? Number.NaN : /^\d+$/.test(given) ? Number(given) * 1_000 : Date.parse(`${given}T00:00:00Z`);
  return Number.isFinite(at) ? at - (at % dayMs) : undefined;
}
