import type * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { fieldErrors } from '../../../shared/http/parse.ts';

/** The input by its schema, or the refusal that names the fields: the services are called by more than HTTP. */
export const parseInput = <S extends z.ZodType>(schema: S, input: z.input<S>): z.output<S> | Problem<'validation_failed'> => {
  const result = schema.safeParse(input);
  return result.success ? result.data : problem('validation_failed', { errors: fieldErrors(result, input) });
};
