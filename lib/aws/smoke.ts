import { newToken } from '../../shared/access/token.ts';
import type { SiteSpec } from '../../shared/contract/site.ts';
import { buildOfPage } from './site-build.ts';

/** What a deploy has made, by its outputs. */
export interface Deployed {
  apiUrl: string;
  siteUrl: string | undefined;
  sites: readonly { site: Pick<SiteSpec, 'name' | 'path'>; build: string | undefined }[];
}

interface Look {
  what: string;
  address: string;
  status: number;
  token?: string;
  /** What is wrong with the answer's text, if anything. */
  textProblem?: (text: string) => string | undefined;
}

/**
 * Calls what was just deployed, without a credential and without an effect: the gateway, a function that needs the table to answer, and the
 * pages with the API beside them. CloudFormation takes a release that answers 500 to all calls for a good one.
 *
 * @returns what is wrong, a sentence each
 */
export const smoke = async (deployed: Deployed, get: typeof fetch = fetch): Promise<string[]> => {
  const failures = await Promise.all(
    looksAt(deployed).map(async ({ what, address, status, token, textProblem }) => {
      try {
        const answer = await get(address, {
          signal: AbortSignal.timeout(30_000),
          headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
        });
        const text = await answer.text();
        if (answer.status !== status) return `${what}: ${address} answers ${answer.status} in place of ${status}.`;
        const wrong = textProblem?.(text);
        return wrong === undefined ? undefined : `${what}: ${wrong}`;
      } catch (error) {
        return `${what}: ${address} does not answer (${error instanceof Error ? error.message : String(error)}).`;
      }
    }),
  );
  return failures.filter((each) => each !== undefined);
};

const looksAt = ({ apiUrl, siteUrl, sites }: Deployed): Look[] => [
  { what: 'The reference', address: `${apiUrl}/docs`, status: 200 },
  // a token of the right form: only the table knows that there is none
  { what: 'A token that there is not', address: `${apiUrl}/api/v1/me`, token: newToken('token'), status: 401 },
  { what: 'An unknown path', address: `${apiUrl}/api/v1/none`, status: 404 },
  ...(siteUrl === undefined
    ? []
    : [
        { what: 'The API beside the pages', address: `${siteUrl}/api/v1/me`, status: 401 },
        ...sites.map(
          ({ site, build }): Look => ({
            what: `The pages of ${site.name}`,
            address: `${siteUrl}${site.path}/`,
            status: 200,
            textProblem: (page) =>
              build === undefined || buildOfPage(page) === build
                ? undefined
                : `they are of another build than the stack: npm run deploy uploads them.`,
          }),
        ),
      ]),
];
