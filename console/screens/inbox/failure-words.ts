import type { StatesText } from '../../text/states.ts';

type Words = Extract<keyof StatesText, `failure_${string}`>;

/** The provider's codes that agents meet, by what they are to them. */
const known: Readonly<Record<number | string, Words>> = {
  0: 'failure_access',
  190: 'failure_access',
  4: 'failure_limit',
  429: 'failure_limit',
  80007: 'failure_limit',
  130429: 'failure_limit',
  131048: 'failure_limit',
  131056: 'failure_limit',
  1: 'failure_provider',
  2: 'failure_provider',
  131000: 'failure_provider',
  131016: 'failure_provider',
  provider_unreachable: 'failure_provider',
  130472: 'failure_marketing',
  131049: 'failure_marketing',
  131050: 'failure_marketing',
  131026: 'failure_recipient',
  131030: 'failure_recipient',
  130403: 'failure_recipient',
  131047: 'failure_window',
  window_closed: 'failure_window',
  131042: 'failure_payment',
  368: 'failure_account',
  131031: 'failure_account',
  131045: 'failure_account',
  131051: 'failure_kind',
  130501: 'failure_kind',
  131052: 'failure_file',
  131053: 'failure_file',
  132000: 'failure_template',
  132001: 'failure_template',
  132005: 'failure_template',
  132007: 'failure_template',
  132012: 'failure_template',
  132015: 'failure_paused',
  132016: 'failure_paused',
};

/** Why a message failed and what to do, to someone who answers customers; the title of a code that is not known here. */
export const failureWords = (text: StatesText, { code, title }: { code: number | string; title: string }): string => {
  const name = Object.hasOwn(known, code) ? known[code] : undefined;
  return name === undefined ? `${title.replace(/\.$/, '')}.` : text[name];
};
