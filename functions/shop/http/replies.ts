import { isProblem, type Problem } from '../../../shared/contract/problems.ts';

/** `{status, message, data}` with 201 (S2, S8). */
export const created = <T>(data: T, message: string) => ({ status: 201 as const, body: { status: 'success' as const, message, data } });

export const noContent = { status: 204 as const, body: undefined };

/** The answer to a value; a refusal is its own answer. */
export const mapOk = <T, A>(outcome: T, answer: (value: Exclude<T, Problem>) => A): A | Extract<T, Problem> =>
  isProblem(outcome) ? (outcome as Extract<T, Problem>) : answer(outcome as Exclude<T, Problem>);
