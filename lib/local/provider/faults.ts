/** What goes wrong on demand. Every share is drawn from one seeded generator, so a run repeats exactly. */
import * as z from 'zod';

const share = z.number().min(0).max(1);

/** `PUT /_local/provider/faults`. Shares are 0 to 1; `latency_ms` is real time. */
export const faultSettings = z.strictObject({
  timeout_after_accept: share.optional(),
  throttle: share.optional(),
  server_error: share.optional(),
  reset: share.optional(),
  error_for: z.record(z.string(), z.number().int().nonnegative()).optional(),
  duplicate_webhooks: share.optional(),
  shuffle_webhooks: share.optional(),
  hold_statuses: z.union([z.boolean(), share]).optional(),
  /** Templates are accepted and held back, until `POST pacing` releases or drops them. */
  hold_templates: z.union([z.boolean(), share]).optional(),
  /** Fails free-form messages outside the 24-hour window (131047), as the real provider does. Unless set, as the simulator was started: on. */
  enforce_window: z.boolean().optional(),
  /**
   * How many updates go into one webhook post at most. Unless set, one, as the real provider mostly does it, and more while many wait, which
   * its interface leaves open up to a thousand.
   */
  updates_per_post: z.number().int().min(1).max(100).optional(),
  /** Not settled: whether a user id in `to` is refused at once (the default), or accepted and never delivered. */
  user_id_in_to: z.enum(['refused', 'dropped']).optional(),
  /** Not settled: whether a subscription with an unknown field is refused whole (the default), or taken without it. */
  unknown_fields: z.enum(['refused', 'ignored']).optional(),
  /** Not settled: whether a post is repeated to the app's URL of now (the default), or to that of its first try. */
  retries_to: z.enum(['new_url', 'former_url']).optional(),
  /** The code with which removals from the contact book are refused. */
  contact_book_error: z.number().int().optional(),
  /** How template analytics are refused: as of an account that has not switched them on, or of a region that has none. */
  template_analytics: z.enum(['not_enabled', 'not_offered']).optional(),
  latency_ms: z.number().nonnegative().max(60_000).optional(),
  seed: z.number().int().optional(),
});
export type FaultSettings = z.infer<typeof faultSettings>;

/** What happens to one send. `reset_before` is never accepted, `reset_after` and `timeout` are accepted but not answered. */
export type SendFate = 'normal' | 'throttle' | 'server_error' | 'reset_before' | 'reset_after' | 'timeout';

/** @param enforcesWindow whether it does while `enforce_window` is not set */
export function createFaults(enforcesWindow: boolean) {
  let settings: FaultSettings = {};
  let errors = new Map<string, number>();
  let random = generator(1);

  const happens = (chance: number | undefined): boolean => chance !== undefined && chance > 0 && random() < chance;

  const applies = (setting: boolean | number | undefined): boolean => (typeof setting === 'boolean' ? setting : happens(setting));

  return {
    settings: () => settings,
    set(next: FaultSettings): void {
      settings = next;
      errors = new Map(Object.entries(next.error_for ?? {}).map(([phone, code]) => [phone.replace(/\D/g, ''), code]));
      random = generator(next.seed ?? 1);
    },
    random: () => random(),
    fateOfSend(): SendFate {
      if (happens(settings.reset)) return random() < 0.5 ? 'reset_before' : 'reset_after';
      if (happens(settings.throttle)) return 'throttle';
      if (happens(settings.server_error)) return 'server_error';
      return happens(settings.timeout_after_accept) ? 'timeout' : 'normal';
    },
    dropsUserIdInTo: (): boolean => settings.user_id_in_to === 'dropped',
    refusesUnknownFields: (): boolean => settings.unknown_fields !== 'ignored',
    repeatsToFormerUrl: (): boolean => settings.retries_to === 'former_url',
    enforcesWindow: (): boolean => settings.enforce_window ?? enforcesWindow,
    updatesPerPost: (waiting: number): number => settings.updates_per_post ?? (waiting > mostAlone ? togetherAtMost : 1),
    /** The code that this recipient (digits) is to get. */
    errorFor: (to: string): number | undefined => errors.get(to),
    duplicates: (): boolean => happens(settings.duplicate_webhooks),
    shuffles: (): boolean => happens(settings.shuffle_webhooks),
    holds: (): boolean => applies(settings.hold_statuses),
    /** Whether the provider holds the next template back, to see how others take it. */
    holdsTemplate: (): boolean => applies(settings.hold_templates),
  };
}
export type Faults = ReturnType<typeof createFaults>;

/**
 * As many updates of a number as may be posted at once have posts of their own. What waits beyond them shares one: a post of each status takes a
 * third of the machine's time in a campaign, as the sender's and the receiver's work is done here.
 */
const mostAlone = 8;
const togetherAtMost = 20;

/** mulberry32: 32 bits of state, uniform in [0, 1). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
