import * as z from 'zod';
import { issueErpToken } from '../../functions/account/service/machine-tokens.ts';
import { createUser } from '../../functions/account/service/users.ts';
import { nextIds } from '../../shared/table/counter.ts';
import { examples } from '../contract/examples.ts';
import { allRoutes, type ContractFixture } from '../contract/fixture.ts';
import { unwrap, inboundText } from '../support/company.ts';

/**
 * The stage as its second company sees it. Its ids begin where the first company has none, so an id of one cannot be an id of the other
 * by chance.
 */
export const foreignFixture = async (fixture: ContractFixture): Promise<ContractFixture> => {
  const { testApp, other: company } = fixture;
  // once through all examples, so that every kind of record has its sequence
  for (const { name } of allRoutes) {
    testApp.clock.advance(2_500);
    await examples[name]?.(fixture);
  }
  for (const { kind, companyId, of } of await testApp.dump())
    if (kind === 'counter' && companyId === fixture.company.id) await nextIds(company.id, String(of), 900_000);
  const stranger = unwrap(await createUser(company.id, { name: 'A stranger', email: 'stranger@example.com', role: 'owner' }));
  const newContact = async (phone: string): Promise<number> => {
    const answer = await testApp.call({ method: 'POST', path: '/api/v1/contacts', token: company.tokens.owner, body: { phone } });
    return z.object({ data: z.object({ id: z.int() }) }).parse(answer.body).data.id;
  };
  const from = '4915112345671';
  const contactId = await newContact(`+${from}`);
  await testApp.call(inboundText(company, { from, text: 'Hello' }));
  await testApp.drain();
  return {
    ...fixture,
    company: { ...company, users: { ...company.users, owner: stranger.id } },
    other: fixture.company,
    erpToken: unwrap(await issueErpToken(company.id, {})).secret,
    newContact,
    contactId,
    // a conversation has the id of its contact
    conversationId: contactId,
  };
};
