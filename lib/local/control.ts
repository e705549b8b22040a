import type { Clock } from './clock.ts';
import type { Mailbox } from './emails.ts';
import type { FaultPlan } from './faults.ts';
import { type PendingWork, retryHorizonMs, waitUntilIdle, type WorkSources } from './pending-work.ts';
import { isObject, type Json } from './json.ts';

export interface ControlAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export interface ControlOptions {
  clock: Clock;
  plan: FaultPlan;
  places: WorkSources;
  mailbox: Mailbox;
  travel(seconds: number): Promise<void>;
  /** Sets the time to the machine's; with what is left to do, nothing has changed. */
  setBack(): Promise<PendingWork>;
  /** The demo users, and signing in as one of them without a password. */
  demoUsers(): ControlAnswer;
  signIn(body: Json): Promise<ControlAnswer>;
  /** The provider simulator's own controls, by path and query; undefined when the path is not one of them. */
  provider(method: string, path: string, body: unknown): Promise<ControlAnswer | undefined>;
  /** The same of the store platform's stand-in. */
  storeplatform(method: string, path: string, body: unknown): Promise<ControlAnswer | undefined>;
}

/** The control interface under /_local: for people and tests, on the laptop only. */
export const controls = (parts: ControlOptions): ((method: string, path: string, query: string, body: Json) => Promise<ControlAnswer>) => {
  const { clock, plan, places, mailbox } = parts;
  // one journey at a time: a second one starts where the first arrived
  let journey: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(move: () => Promise<T>): Promise<T> => {
    const mine = journey.then(move);
    journey = mine.catch(() => {});
    return mine;
  };
  const setBack = async (body: { [field: string]: Json }): Promise<ControlAnswer> => {
    if (body.set_to !== 'now') return refusal({ set_to: 'must be "now"' });
    if (body.advance_seconds !== undefined) return refusal({ advance_seconds: 'must be absent beside set_to' });
    const left = await inTurn(() => parts.setBack());
    if (Object.keys(left).length === 0) return { status: 200, body: { data: { now: new Date(clock.now()).toISOString() } } };
    return notIdle('The time stays as it is, because work is in hand.', left);
  };
  const routes: Record<string, (body: Json) => Promise<ControlAnswer> | ControlAnswer> = {
    'GET /_local/sessions': () => parts.demoUsers(),
    'POST /_local/sessions': (body) => parts.signIn(body),
    'GET /_local/emails': () => ({ status: 200, body: { data: mailbox.list() } }),
    'GET /_local/clock': () => ({
      status: 200,
      body: { data: { now: new Date(clock.now()).toISOString(), offset_seconds: clock.offset() / 1000 } },
    }),
    'GET /_local/faults': () => ({ status: 200, body: { data: plan.faults } }),
    'PUT /_local/faults': (body) => {
      const problems = plan.set(body);
      return problems ? refusal(problems) : { status: 200, body: { data: plan.faults } };
    },
    'POST /_local/clock': async (body) => {
      if (isObject(body) && body.set_to !== undefined) return setBack(body);
      const seconds = numberField(body, 'advance_seconds', 0, 10 * 366 * 86_400);
      if (typeof seconds !== 'number') return refusal(seconds);
      await inTurn(() => parts.travel(seconds));
      return { status: 200, body: { data: { now: new Date(clock.now()).toISOString(), advanced_seconds: seconds } } };
    },
    'POST /_local/idle': async (body) => {
      const seconds = isObject(body) && body.timeout_seconds === undefined ? 30 : numberField(body, 'timeout_seconds', 0, 3600);
      if (typeof seconds !== 'number') return refusal(seconds);
      const left = await waitUntilIdle(places, retryHorizonMs, seconds * 1000);
      if (Object.keys(left).length === 0) return { status: 200, body: { data: { idle: true } } };
      return notIdle(`Not idle after ${seconds} s.`, left);
    },
  };
  return async (method, path, query, body) => {
    if (path.startsWith('/_local/provider/')) {
      const answer = await parts.provider(method, query ? `${path}?${query}` : path, body);
      if (answer) return answer;
    }
    if (path.startsWith('/_local/storeplatform/')) {
      const answer = await parts.storeplatform(method, query ? `${path}?${query}` : path, body);
      if (answer) return answer;
    }
    const route = routes[`${method} ${path}`];
    if (route) return route(body);
    const known = Object.keys(routes).some((each) => each.endsWith(` ${path}`));
    return {
      status: known ? 405 : 404,
      body: { status: 'error', code: known ? 'method_not_allowed' : 'not_found', message: `There is no control ${method} ${path}.` },
    };
  };
};

const notIdle = (message: string, left: PendingWork): ControlAnswer => ({
  status: 408,
  body: { status: 'error', code: 'not_idle', message, details: { left } },
});

/** A refusal that names the fields. */
export const refusal = (problems: Record<string, string>): ControlAnswer => {
  const sentences = Object.entries(problems).map(([field, problem]) => `${field} ${problem}`);
  const errors = Object.fromEntries(Object.entries(problems).map(([field, problem]) => [field, [`${field} ${problem}`]]));
  return { status: 400, body: { status: 'error', code: 'bad_control', message: `${sentences.join('; ')}.`, errors } };
};

const numberField = (body: Json, name: string, min: number, max: number): number | Record<string, string> => {
  const value = isObject(body) ? body[name] : undefined;
  if (typeof value === 'number' && value >= min && value <= max) return value;
  return { [name]: `must be a number from ${min} to ${max}` };
};
