import * as z from 'zod';
import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { type CursorPage, listByCursor } from '../../../shared/table/page.ts';
import { recordProviderChange } from '../../account/service/numbers.ts';
import type { NumberLink, NumberLinkInput } from '../contract/number-link.ts';
import { createLink, deleteLink, listLinks, type ProviderLink, updateLink } from '../gateway/number-links.ts';
import { answerOf, type NumberToolProblem, type RequestTime, requireBusinessNumber } from './number-tools.ts';

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
    if (known) {
      // it may be of a request that ended before it left an audit entry
      await recordProviderChange(number, `link ${known.code} found`, startedAt);
      return toNumberLink(known);
    }
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
