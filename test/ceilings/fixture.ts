import { addNumber, updateNumber } from '../../functions/account/service/numbers.ts';
import { importRates } from '../../functions/spend/service/operator-rates.ts';
import { unwrap, type TestCompany } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import type { TestApp } from '../support/test-app.ts';
import { marketOf } from '../spend/cards.ts';

/** Prices of a test: a country each, all categories alike. */
export const importPrices = async (prices: Record<string, string>, currency = 'EUR'): Promise<void> => {
  const markets = Object.entries(prices).map(([country, price]) => marketOf(country, [country], price));
  unwrap(await importRates({ currency, effective_from: '2026-01-01', markets }, { force: true }));
};

/** More numbers of a company, which send as fast as its first. */
export const withNumbers = async (company: TestCompany, count: number, ratePerSecond = 1_000): Promise<void> => {
  unwrap(await updateNumber(company.id, 1, { rate: ratePerSecond }));
  for (let nth = 2; nth <= count; nth++)
    unwrap(
      await addNumber(company.id, {
        phone: `1556${String(company.id).padStart(4, '0')}${nth}`,
        phone_number_id: `9${company.id}00${nth}`,
        waba_id: company.number.wabaId,
        access_token: `access-token-of-number-${nth}`,
        rate: ratePerSecond,
      }),
    );
};

/** A day of a test, in the middle of a month, whose ceilings begin anew at `resetsAt`. */
export interface TestDay {
  day: string;
  midnightMs: number;
  resetsAt: string;
}

/** Moves the time to ten o'clock on the next 15th, so that no test meets midnight or the end of a month when it happens to run then. */
export const moveToMidMonth = ({ clock }: Pick<TestApp, 'clock'>): TestDay => {
  const today = new Date(clock.now());
  const atTen = (month: number): number => Date.UTC(today.getUTCFullYear(), month, 15, 10);
  const month = today.getUTCMonth();
  const at = atTen(month) > clock.now() ? atTen(month) : atTen(month + 1);
  clock.moveTo(at);
  const midnightMs = (Math.floor(at / 86_400_000) + 1) * 86_400_000;
  return { day: new Date(at).toISOString().slice(0, 10), midnightMs, resetsAt: new Date(midnightMs).toISOString().replace('Z', '000Z') };
};

export const ceilingsOf = (testApp: TestApp, company: TestCompany) => {
  const call = (method: 'GET' | 'PUT', body?: object, token = company.tokens.owner): Promise<Answer> =>
    testApp.call({ method, path: '/api/v1/spend/ceilings', token, ...(body ? { body: { ...body } } : {}) });
  const dataOf = ({ status, body, raw }: Answer): Ceilings => {
    if (status !== 200) throw new Error(raw);
    return (body as { data: Ceilings }).data;
  };
  return {
    call,
    set: async (body: object): Promise<Ceilings> => dataOf(await call('PUT', body)),
    get: async (): Promise<Ceilings> => dataOf(await call('GET')),
  };
};

export interface Ceilings {
  currency: string | null;
  day: { limit: string; left: string; resets_at: string } | null;
  month: { limit: string; left: string; resets_at: string } | null;
  code_reserve_percent: number;
  stops: string[];
  unknown_price: string;
  on_reached: string;
}

/** Micro-units of a decimal text. */
export const microsIn = (text: string): number => Math.round(Number(text) * 1_000_000);

/** The events of a name that were published for a company: what comes again has the same id. */
export const publishedIn = ({ events }: Pick<TestApp, 'events'>, name: string, companyId: number): Record<string, unknown>[] => {
  const byId = new Map(
    events.flatMap(({ name: of, detail }) => (of === name && detail['company_id'] === companyId ? [[detail['id'], detail] as const] : [])),
  );
  return [...byId.values()].map((detail) => detail['data'] as Record<string, unknown>);
};
