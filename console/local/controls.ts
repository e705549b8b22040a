/** The laptop's own controls under `/_local`: a customer writes, time passes, the provider fails. */

/** A message that the provider accepted, in its own form. */
export interface Accepted {
  wamid: string;
  to: string;
  type: string;
  payload: Readonly<Record<string, unknown>>;
  at: string;
  status: string | null;
  /** With which it fails, so that it never reaches the phone. */
  error_code: number | null;
}

/** What the customer wrote from here. */
export interface Written {
  wamid: string;
  from: string;
  at: string;
  words: string;
}

export interface Email {
  to: string;
  subject: string;
  text: string;
  at: string;
}

export interface Faults {
  timeout_after_accept?: number;
  throttle?: number;
  server_error?: number;
  latency_ms?: number;
  hold_statuses?: boolean;
  enforce_window?: boolean;
  error_for?: Readonly<Record<string, number>>;
}

const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const answer = await fetch(`/_local/${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const answered = (await answer.json()) as { data: T; message?: string };
  if (!answer.ok) throw new Error(answered.message ?? `HTTP ${answer.status}`);
  return answered.data;
};

export const listAccepted = (companyId: number, phone: string): Promise<Accepted[]> =>
  call('GET', `provider/messages?company_id=${companyId}&phone=${encodeURIComponent(phone)}`);

export const listEmails = (): Promise<Readonly<Record<string, unknown>>[]> => call('GET', 'emails');

export const getClock = (): Promise<{ now: string; offset_seconds: number }> => call('GET', 'clock');
export const advanceClock = (seconds: number): Promise<unknown> => call('POST', 'clock', { advance_seconds: seconds });

export const setClockBack = (): Promise<unknown> => call('POST', 'clock', { set_to: 'now' });

export const getFaults = (): Promise<Faults> => call('GET', 'provider/faults');
export const setFaults = (faults: Faults): Promise<unknown> => call('PUT', 'provider/faults', faults);

export const writeInbound = (body: Readonly<Record<string, unknown>>): Promise<{ wamid: string }> => call('POST', 'provider/inbound', body);
