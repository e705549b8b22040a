import * as z from 'zod';
import type { NumberHealth } from './number-state.ts';

/**
 * What the provider says may hold up messages of a number or an account, by the objects that take part in sending.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/support/health-status
 */
export const healthStatus = z.looseObject({
  can_send_message: z.string(),
  entities: z
    .array(
      z.looseObject({
        entity_type: z.string(),
        can_send_message: z.string(),
        errors: z
          .array(
            z.looseObject({
              error_code: z.int().optional(),
              error_description: z.string().default(''),
              possible_solution: z.string().default(''),
            }),
          )
          .default([]),
        additional_info: z.array(z.string()).default([]),
      }),
    )
    .default([]),
});
export type HealthStatus = z.output<typeof healthStatus>;

/** The worst of the objects, with the reasons. A line for calls over SIP holds up no message. */
export const toHealth = ({ can_send_message: whole, entities }: HealthStatus): NumberHealth => {
  const ofMessages = entities
    .map((entity) => ({ ...entity, errors: entity.errors.filter(({ error_code: code }) => code !== sipLine), had: entity.errors.length }))
    .filter(({ had, errors, can_send_message: can }) => can !== available && !(had > 0 && errors.length === 0));
  const canSend = entities.length === 0 ? levelOf(whole) : worst(ofMessages.map(({ can_send_message: can }) => levelOf(can)));
  const reasons = ofMessages.flatMap(({ entity_type: of, errors, additional_info: notes }) => [
    ...errors.map(({ error_code: code, error_description: text, possible_solution: fix }) => ({
      of,
      ...(code === undefined ? {} : { code }),
      text: text.slice(0, maxChars),
      fix: fix.slice(0, maxChars),
    })),
    ...notes.map((note) => ({ of, text: note.slice(0, maxChars), fix: '' })),
  ]);
  return { canSend, reasons: reasons.slice(0, maxReasons) };
};

/** Whether an object of a kind, of those that the provider names, can send. */
export const isAvailable = ({ entities }: HealthStatus, kind: string): boolean => {
  const named = entities.filter(({ entity_type: type }) => type === kind);
  return named.length > 0 && named.every(({ can_send_message: can }) => can === available);
};

const available = 'AVAILABLE';
const sipLine = 138024;
const maxChars = 300;
const maxReasons = 10;

const levels = ['AVAILABLE', 'LIMITED', 'BLOCKED'] as const;
const levelOf = (given: string): NumberHealth['canSend'] => levels.find((level) => level === given) ?? 'AVAILABLE';
const worst = (all: readonly NumberHealth['canSend'][]): NumberHealth['canSend'] =>
  levels[Math.max(0, ...all.map((level) => levels.indexOf(level)))] ?? 'AVAILABLE';
