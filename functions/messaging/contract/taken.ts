/** What a message took from ceilings, micro-units: the most that it could cost. */
export interface TakenByCeilings {
  /** From those of its company. `of`: the period of the allowance that paid, which begins as the account's counters did: `1:2026-11-29`. */
  company?: { of: string; micros: number; currency: string; isCode?: true };
  /** From that of its campaign. `limit`: which of those that the campaign has had, from 0. */
  campaign?: { limit: number; micros: number; currency: string };
}

/**
 * As the row of a message has it: `company/EUR/113100/1:2026-11-29 campaign/EUR/113100/0`; of a code `code` in place of `company`. One text, because a row is
 * written and read many times, and each attribute of it costs CPU each time; what went back is computed once.
 */
export const takenText = ({ company, campaign }: TakenByCeilings): string =>
  [
    ...(company ? [[company.isCode ? 'code' : 'company', company.currency, company.micros, company.of]] : []),
    ...(campaign ? [['campaign', campaign.currency, campaign.micros, campaign.limit]] : []),
  ]
    .map((part) => part.join('/'))
    .join(' ');

/** The same as it was before it was stored. */
export const takenOf = (text: string): TakenByCeilings => {
  const taken: TakenByCeilings = {};
  for (const part of text.split(' ')) {
    const [by, currency = '', amount, of = ''] = part.split('/');
    const micros = Number(amount);
    if (by === 'campaign') taken.campaign = { limit: Number(of), micros, currency };
    else taken.company = { of, micros, currency, ...(by === 'code' ? { isCode: true } : {}) };
  }
  return taken;
};
