/** What a check gets of an answer: nothing of it is trusted, so bodies are read by `at`. */
export interface DeploymentAnswer {
  status: number;
  headers: Headers;
  body: unknown;
  raw: string;
}

export interface DeploymentCall {
  method?: string;
  path: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Without the token, or with another one. */
  token?: string | undefined;
}

/** The deployment under test, and all that it answered: what holds for every answer is checked at the end. */
export interface Deployment {
  call: (call: DeploymentCall) => Promise<DeploymentAnswer>;
  answers: { call: DeploymentCall; answer: DeploymentAnswer }[];
}

export interface DeploymentOptions {
  base: string;
  token: string;
  timeoutMs: number;
}

/** Calls a deployment; follows no redirect, since a token goes to no other address. */
export const deploymentAt = ({ base, token, timeoutMs }: DeploymentOptions): Deployment => {
  const answers: Deployment['answers'] = [];
  const call = async (given: DeploymentCall): Promise<DeploymentAnswer> => {
    const { method = 'GET', path, body, headers } = given;
    const sentToken = 'token' in given ? given.token : token;
    const response = await fetch(`${base.replace(/\/+$/, '')}${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        ...(sentToken === undefined ? {} : { authorization: `Bearer ${sentToken}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const raw = await response.text();
    const answer = { status: response.status, headers: response.headers, body: parsedOrNothing(raw), raw };
    answers.push({ call: given, answer });
    return answer;
  };
  return { call, answers };
};

function parsedOrNothing(raw: string): unknown {
  try {
    return JSON.parse(raw) as unknown;
  } catch {
    return undefined;
  }
}

/** A value within a body: `at(body, 'data', 'id')`; undefined where there is none. */
export const at = (body: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined), body);

/** Why a check failed. */
export class Nonconformity extends Error {}

/** Why a check could not be made. */
export class NotChecked extends Error {}

/** Fails the check unless the condition holds; `what` says what was expected, `found` what came. */
export function expectThat(condition: boolean, what: string, found?: unknown): asserts condition {
  if (condition) return;
  const shown = found === undefined ? '' : `; found ${typeof found === 'string' ? found : JSON.stringify(found)}`;
  throw new Nonconformity(`${what}${shown.slice(0, 300)}`);
}

/** The answer's status and the beginning of its body, for a message. */
export const shownAnswer = ({ status, raw }: DeploymentAnswer): string => `${status} ${raw.slice(0, 200)}`;
