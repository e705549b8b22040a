import { isProblem, type Problem } from '../../../shared/contract/problems.ts';

/** A 201 response with `{status, message, data}`. */
export const created = <T>(data: T, message: string) => ({ status: 201 as const, body: { status: 'success' as const, message, data } });

export const noContent = { status: 204 as const, body: undefined };

/** Maps a result to a response; a problem is returned as it is. */
export const mapOk = <T, A>(outcome: T, answer: (value: Exclude<T, Problem>) => A): A | Extract<T, Problem> =>
  isProblem(outcome) ? (outcome as Extract<T, Problem>) : answer(outcome as Exclude<T, Problem>);
