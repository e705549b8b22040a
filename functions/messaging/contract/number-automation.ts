import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { pathId, text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { commandNamePattern, mostOfNumber as most } from '../domain/number-limits.ts';

/** What a customer is offered in the chat with a number before writing. The provider has it. */
export const numberAutomation = z
  .object({
    ice_breakers: z.array(z.string()).meta({ description: 'Texts that a new customer can tap in place of writing one.' }),
    commands: z
      .array(
        z.object({
          name: z.string().meta({ description: 'What follows the slash.' }),
          description: z.string().meta({ description: 'What the customer reads beside it.' }),
        }),
      )
      .meta({ description: 'Commands that are listed when a customer types a slash.' }),
  })
  .meta({ id: 'NumberAutomation', description: 'Ice breakers and commands of a number.' });
export type NumberAutomation = z.output<typeof numberAutomation>;

const command = z.object({
  name: text(most.commandName, 1)
    .regex(commandNamePattern, { error: 'Must have no spaces and no slash.' })
    .meta({ description: 'What follows the slash, up to 32 characters.' }),
  description: text(most.commandDescription, 1).meta({ description: 'What the customer reads beside it, up to 256 characters.' }),
});
const automationChanges = z
  .object({
    ice_breakers: z
      .array(text(most.iceBreaker, 1), { error: 'Must be a list of texts.' })
      .max(most.iceBreakers, { error: 'Must have at most 4 texts.' })
      .meta({ description: 'Up to 4 texts of up to 80 characters; an empty list takes them away.' }),
    commands: z
      .array(command, { error: 'Must be a list of commands.' })
      .max(most.commands, { error: 'Must have at most 30 commands.' })
      .refine((all) => new Set(all.map(({ name }) => name.toLowerCase())).size === all.length, { error: 'Must have names that differ.' })
      .meta({ description: 'Up to 30 commands; an empty list takes them away.' }),
  })
  .partial()
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), { error: 'Send at least one field.' });
export type NumberAutomationChanges = z.output<typeof automationChanges>;

const path = '/api/v1/numbers/{id}/automation';
const params = z.object({ id: pathId.meta({ description: 'The id of the number.' }) });
const failures = ['not_found', 'provider_rejected', 'temporarily_unavailable'] as const;

export const numberAutomationRoutes = {
  getNumberAutomation: route({
    method: 'GET',
    path,
    summary: 'Get the ice breakers and commands of a number',
    description:
      'What customers are offered before they write, as the provider has it now. What they tap arrives as a message with its text.',
    caller: { kind: 'token', scope: 'account:read', role: 'viewer' },
    params,
    answers: { 200: success(numberAutomation) },
    errors: failures,
  }),
  updateNumberAutomation: route({
    method: 'PUT',
    path,
    summary: 'Change the ice breakers and commands of a number',
    description: 'Replaces the list that is sent at the provider and leaves the other.',
    caller: { kind: 'token', scope: 'account:manage', role: 'admin' },
    params,
    body: automationChanges.meta({ id: 'UpdateNumberAutomationRequest', minProperties: 1 }),
    answers: { 200: success(numberAutomation) },
    errors: [...failures, 'validation_failed'],
  }),
};
