import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { credentialEntity } from '../../shared/access/credential.ts';
import { tokenHash } from '../../shared/access/token.ts';
import { roles } from '../../shared/contract/route.ts';
import { exists } from '../../shared/table/condition.ts';
import type { ControlOptions } from './control.ts';
import { refusal } from './control.ts';
import { type Demo, demoFile } from './demo-file.ts';

/**
 * Signing in as a demo user with one click: the control exchanges the demo token in place of the page, and passes the cookie on. The control
 * interface listens on loopback and refuses pages of other sites.
 */
export const demoSessions = (dataDir: string, baseUrl: string): Pick<ControlOptions, 'demoUsers' | 'signIn'> => ({
  demoUsers: () => ({
    status: 200,
    body: {
      data: companiesIn(dataDir)
        .toSorted((one, other) => Number(other.is_example ?? false) - Number(one.is_example ?? false))
        .flatMap(({ id, name, users }) => roles.map((role) => ({ company_id: id, company: name, role, user_id: users[role] }))),
    },
  }),
  signIn: async (body) => {
    const given = selection.safeParse(body);
    const company = companiesIn(dataDir).find(({ id }) => id === given.data?.company_id);
    if (!given.success || !company)
      return refusal({ company_id: 'must be the id of a demo company', role: `must be one of ${roles.join(', ')}` });
    const answer = await fetch(`${baseUrl}/api/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: baseUrl, 'x-session-request': '1' },
      body: JSON.stringify({ token: company.tokens[given.data.role] }),
    });
    const cookie = answer.headers.get('set-cookie');
    if (cookie !== null) await prove(cookie, await answer.clone().json());
    return { status: answer.status, body: await answer.json(), ...(cookie === null ? {} : { headers: { 'set-cookie': cookie } }) };
  },
});

/** The click stands for the user's own proof: a demo user reads no mail and has no passkey. */
async function prove(cookie: string, answer: unknown): Promise<void> {
  const secret = /ses_[0-9A-Za-z]+/.exec(cookie)?.[0];
  const session = startedSession.safeParse(answer);
  if (secret === undefined || !session.success) return;
  const provenAt = Date.parse(session.data.data.created_at);
  await credentialEntity.change({ hash: tokenHash(secret) }, { set: { provenAt } }, exists());
}

const startedSession = z.object({ data: z.object({ created_at: z.string() }) });
const selection = z.object({ company_id: z.int(), role: z.enum(roles) });

/** None before the demo companies are made. */
function companiesIn(dataDir: string): Demo['companies'] {
  const file = join(dataDir, 'demo.json');
  return existsSync(file) ? demoFile.parse(JSON.parse(readFileSync(file, 'utf8'))).companies : [];
}
