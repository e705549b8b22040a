import { dayMs } from '../../../shared/runtime/clock.ts';
import type { EligibilityFacts } from '../../contacts/contract/eligibility.ts';
import type { Contact } from '../../contacts/contract/stored.ts';
import type { StoredTemplate } from '../../templates/contract/stored.ts';
import type { ExclusionReason } from '../contract/stored.ts';
import { hasId, reachSpanOf, withIds } from '../domain/template-reach.ts';
import { getTemplateReach, updateTemplateReach, type TemplateReach } from '../store/template-reach.ts';
import { exclusionReasonOf } from './eligibility.ts';

export interface SelectionRules<C> {
  /** Undefined in a preview without a template: the strictest category is assumed, and no parameter is missing. */
  template: Pick<StoredTemplate, 'id' | 'category' | 'bid'> | undefined;
  /** Whether a parameter of the template is missing for a contact; undefined: none is. */
  lacks: ((contact: C) => boolean) | undefined;
  atMs: number;
  /** Work numbers of the team, which no campaign to many reaches; a campaign to one contact reaches whom it names. */
  staff: ReadonlySet<number> | undefined;
}

const strictest = { category: 'MARKETING' };

/** What the selection reads of a contact. */
export type Candidate = EligibilityFacts & Pick<Contact, 'id' | 'phone'>;

export interface RecipientSelection<C = Candidate> {
  contacts: C[];
  /** Who is left out, in the order of the contacts. */
  excluded: Map<ExclusionReason, C[]>;
  /** Rows of whom the template reached, as they were seen. */
  reach: TemplateReach[];
}

/**
 * Who of some contacts becomes a recipient: the same function for the preview and the construction. With `noDuplicates` contacts that a
 * campaign of the template has already are left out, but for those that this very segment added.
 */
export const selectRecipients = async <C extends Candidate>(
  companyId: number,
  contacts: readonly C[],
  { template, lacks, atMs, staff }: SelectionRules<C>,
  noDuplicates: { of: AudienceSegment | undefined } | undefined,
): Promise<RecipientSelection<C>> => {
  const spans = [...new Set(contacts.map(({ id }) => reachSpanOf(id)))];
  const reach = template === undefined ? [] : await Promise.all(spans.map((span) => getTemplateReach(companyId, template.id, span)));
  const bySpan = new Map(reach.map((row) => [row.span, row]));
  const phones = new Set<string>();
  const excluded = new Map<ExclusionReason, C[]>();
  const chosen = contacts.filter((contact) => {
    const reason = ((): ExclusionReason | undefined => {
      const refused = exclusionReasonOf(contact, template ?? strictest, atMs);
      if (refused) return refused;
      if (staff?.has(contact.id)) return 'staff';
      // two contacts of one phone cannot be made; should there be such, the newer one counts
      if (contact.phone !== '' && phones.has(contact.phone)) return 'duplicate';
      phones.add(contact.phone);
      const reached = bySpan.get(reachSpanOf(contact.id));
      if (noDuplicates && reached && isReachedByTemplate(reached, contact.id, noDuplicates.of)) return 'template_duplicate';
      return lacks?.(contact) ? 'missing_parameter' : undefined;
    })();
    if (reason === undefined) return true;
    const others = excluded.get(reason);
    if (others) others.push(contact);
    else excluded.set(reason, [contact]);
    return false;
  });
  return { contacts: chosen, excluded, reach };
};

/** A step of a campaign's walk over its audience; its name is the campaign's id. */
export interface AudienceSegment {
  name: string;
  below: number;
}

/** Remembers whom the template reaches now. False: another campaign added to it meanwhile, and the choice is to be made again. */
export const recordTemplateReach = async (
  segment: AudienceSegment,
  { contacts, reach }: RecipientSelection,
  atMs: number,
): Promise<boolean> => {
  const written = await Promise.all(
    reach.map(async (row) => {
      const ids = contacts.flatMap(({ id }) => (reachSpanOf(id) === row.span ? [id] : []));
      if (ids.every((id) => isReachedByTemplate(row, id, undefined) && !isReachedByTemplate(row, id, segment))) return true;
      const claim = { below: segment.below, ...claimOf(ids), at: atMs };
      const { [segment.name]: _earlier, ...others } = row.claims;
      return updateTemplateReach(row, {
        bits: withIds(row.bits, ids),
        claims: { ...liveClaims(others, atMs), [segment.name]: claim },
      });
    }),
  );
  return written.every(Boolean);
};

/** A segment is repeated within minutes, by the queue; a day leaves time for one that was set aside. */
const segmentClaimTtlMs = dayMs;

/** The row stays under 60 KB, however many campaigns of a template are created in a day. */
const maxClaims = 100;

/** A map of bits is up to 512 bytes; a few ids are less. */
const claimOf = (ids: readonly number[]): { bits: Uint8Array; few?: number[] } =>
  ids.length <= 32 ? { bits: new Uint8Array(), few: [...ids] } : { bits: withIds(new Uint8Array(), ids) };

/** Claims of campaigns that may still be constructed, the latest. Single recipients had claims too, by operation, in earlier versions. */
export const liveClaims = (claims: TemplateReach['claims'], atMs: number): TemplateReach['claims'] =>
  Object.fromEntries(
    Object.entries(claims)
      .filter(([name, { at }]) => at > atMs - segmentClaimTtlMs && /^\d+$/.test(name))
      .toSorted(([, one], [, other]) => other.at - one.at)
      .slice(0, maxClaims - 1),
  );

function isReachedByTemplate({ bits, claims }: TemplateReach, id: number, by: AudienceSegment | undefined): boolean {
  if (!hasId(bits, id)) return false;
  const own = by && claims[by.name];
  return !(own && own.below === by.below && (hasId(own.bits, id) || own.few?.includes(id)));
}
