import type * as z from 'zod';
import { problem, type Problem } from '../../../shared/contract/problems.ts';
import { fieldErrors } from '../../../shared/http/parse.ts';

/** Validates the input of a service that is called without HTTP; a problem names the invalid fields. */
export const parseServiceInput = <S extends z.ZodType>(schema: S, input: z.input<S>): z.output<S> | Problem<'validation_failed'> => {
  const result = schema.safeParse(input);
  return result.success ? result.data : problem('validation_failed', { errors: fieldErrors(result, input) });
};
