import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { type Contact, customBytes } from '../domain/contact.ts';
import { customValueErrors, type Field, maxCustomBytes } from '../domain/field.ts';

/**
 * Whether a contact may be written as a request wants it: its custom values keep what their fields ask and fit into an item. `before` is
 * undefined of a new contact; `fields` are then all definitions, otherwise at least those whose values change.
 */
export const validateContact = (
  before: Contact | undefined,
  after: Contact,
  fields: readonly Field[],
): Contact | Problem<'validation_failed'> => {
  const errors = customValueErrors(before?.custom, after.custom, fields);
  if (Object.keys(errors).length > 0) return problem('validation_failed', { errors });
  return customBytes(after) <= maxCustomBytes
    ? after
    : invalid('custom', `All custom values of a contact together have at most ${maxCustomBytes} bytes.`);
};
