import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { getAccountNumber } from '../../account/service/numbers.ts';
import type { AnalyticsQuery, TemplateAnalytics } from '../contract/analytics.ts';
import { analyticsDays, whyUnavailable } from '../domain/analytics.ts';
import { listAnalyticsDays } from '../gateway/templates.ts';
import { providerRejected, providerUnavailable } from './provider-problems.ts';
import { getTemplate } from './templates.ts';

type AnalyticsProblem = Problem<
  'validation_failed' | 'not_found' | 'template_analytics_unavailable' | 'number_missing' | 'provider_rejected' | 'temporarily_unavailable'
>;

/** What the provider counted of a template by day, read from the provider at once; nothing of it is stored. */
export const getTemplateAnalytics = async (
  companyId: number,
  id: number,
  query: AnalyticsQuery,
): Promise<TemplateAnalytics | AnalyticsProblem> => {
  const range = analyticsDays(query, now());
  if ('field' in range) return invalid(range.field, range.reason);
  const template = await getTemplate(companyId, id);
  if (isProblem(template)) return template;
  if (template.providerId === undefined)
    return unavailable({ reason: 'not_submitted', message: 'The provider has not confirmed the template yet.' });
  const number = await getAccountNumber(companyId, template.wabaId);
  if (!number) return problem('number_missing');
  // the figures are of the template's own account, whichever number of the company reads them
  const account = { ...number, wabaId: template.wabaId ?? number.wabaId };
  const found = await listAnalyticsDays(account, template.providerId, range);
  if (found.outcome === 'refused') {
    const why = whyUnavailable(found.refusal);
    return why ? unavailable(why) : providerRejected(found.refusal);
  }
  if (found.outcome !== 'done') return providerUnavailable(found);
  return { from: range.from, to: range.to, timezone: 'UTC', days: found.value };
};

const unavailable = ({ reason, message }: { reason: string; message: string }): Problem<'template_analytics_unavailable'> =>
  problem('template_analytics_unavailable', { message, details: { reason } });
