import * as z from 'zod';
import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { providerErrorEntry } from '../../../shared/provider/errors.ts';
import { type CursorPage, listByCursor } from '../../../shared/table/page.ts';
import { type BusinessNumber, listBusinessNumbers, recordProviderChange } from '../../account/service/numbers.ts';
import type { NumberLink, NumberLinkInput } from '../contract/number-link.ts';
import type { SetupReply } from '../domain/number-setup.ts';
import { createLink, deleteLink, listLinks, type ProviderLink, updateLink } from '../gateway/number-links.ts';

export type NumberToolProblem = Problem<'not_found' | 'provider_rejected' | 'temporarily_unavailable'>;

/** When the request began, epoch milliseconds: the same for its repetitions. */
export interface RequestTime {
  startedAt: number;
}

/** A page of the links that the provider has of a number. */
export const listNumberLinks = async (
  companyId: number,
  id: number,
  { cursor }: { cursor?: string | undefined },
): Promise<CursorPage<NumberLink> | NumberToolProblem | Problem<'invalid_cursor'>> => {
  const number = await requireBusinessNumber(companyId, id);
  if (isProblem(number)) return number;
  return listByCursor({ scope: `number-links:${companyId}:${id}`, cursor, position }, async (from) => {
    const page = answerOf(await listLinks(number, from?.after));
    if (isProblem(page)) return page;
    const { links, after } = page;
    return { items: links.map(toNumberLink), next: after === undefined ? undefined : { after } };
  });
};

const position = z.object({ after: z.string() });

/** A link with this text: the one that there is, so that a repetition whose first answer was lost makes no second one; else a new one. */
export const createNumberLink = async (
  companyId: number,
  id: number,
  { message, qr_image: format }: NumberLinkInput,
  { startedAt }: RequestTime,
): Promise<NumberLink | NumberToolProblem> => {
  const number = await requireBusinessNumber(companyId, id);
  if (isProblem(number)) return number;
  let after: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const page = answerOf(await listLinks(number, after));
    if (isProblem(page)) return page;
    const known = page.links.find(({ prefilled_message: each }) => each === message);
    if (known) return toNumberLink(known);
    after = page.after;
    if (after === undefined) break;
  }
  const created = answerOf(await createLink(number, message, format));
  if (isProblem(created)) return created;
  await recordProviderChange(number, `link ${created.code} created`, startedAt);
  return toNumberLink(created);
};

/** The provider has at most 2,000 links of a number, a hundred a page. */
const mostPages = 21;

export const updateNumberLink = async (
  companyId: number,
  id: number,
  code: string,
  { message }: { message: string },
  { startedAt }: RequestTime,
): Promise<NumberLink | NumberToolProblem> => {
  const number = await requireBusinessNumber(companyId, id);
  if (isProblem(number)) return number;
  const updated = answerOf(await updateLink(number, code, message));
  if (isProblem(updated)) return updated;
  await recordProviderChange(number, `link ${code} changed`, startedAt);
  return toNumberLink(updated);
};

export const deleteNumberLink = async (
  companyId: number,
  id: number,
  code: string,
  { startedAt }: RequestTime,
): Promise<{ code: string } | NumberToolProblem> => {
  const number = await requireBusinessNumber(companyId, id);
  if (isProblem(number)) return number;
  const deleted = answerOf(await deleteLink(number, code));
  if (isProblem(deleted)) return deleted;
  await recordProviderChange(number, `link ${code} deleted`, startedAt);
  return { code };
};

const toNumberLink = ({ code, prefilled_message: message, deep_link_url: url, qr_image_url: image }: ProviderLink): NumberLink => ({
  code,
  message,
  url,
  qr_image_url: image ?? null,
});

/** A number of the company, active or not. 0.5 RRU. */
export const requireBusinessNumber = async (companyId: number, id: number): Promise<BusinessNumber | Problem<'not_found'>> =>
  (await listBusinessNumbers(companyId)).find((each) => each.id === id) ?? problem('not_found');

/** What the provider answered, or why there is no answer. An object that it does not know is not found. */
export const answerOf = <T>(reply: SetupReply<T>): T | NumberToolProblem => {
  if (reply.outcome === 'answered') return reply.value;
  if (reply.outcome !== 'refused') return problem('temporarily_unavailable', { retryAfterSeconds: 5 });
  if (reply.code === 100 && reply.subcode === unknownObject) return problem('not_found');
  const code = reply.code ?? 0;
  const { title, fix, retryable } = providerErrorEntry(code);
  return problem('provider_rejected', {
    message: `The messaging provider refused it: ${title}.`,
    details: { provider_code: code, title, retryable, fix },
  });
};

const unknownObject = 33;
