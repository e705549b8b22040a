import { createPasskeySignIn } from '../../functions/sessions/service/passkeys.ts';
import { authenticator } from '../support/authenticator.ts';
import { unwrap } from '../support/company.ts';
import { ofOwnPage } from '../support/gateway-event.ts';
import { templateId } from './examples.ts';
import { addPasskey, newToken, newUser, party, secondNumber } from './examples-account.ts';
import type { Scenario } from './scenarios.ts';

/** Of users and their ways in, and of a number that is connected. */
export const accountScenarios: readonly Scenario[] = [
  {
    route: 'updateUser',
    title: 'is deactivated',
    example: async (fixture) => ({ params: { id: await newUser(fixture) }, body: { status: 'inactive' } }),
  },
  {
    route: 'signInWithPasskey',
    title: 'that was added with a token',
    example: async (fixture) => {
      const device = authenticator();
      await addPasskey(fixture, device, { credentialKind: 'token', credentialId: await newToken(fixture) });
      return { headers: ofOwnPage, body: { credential: device.get(unwrap(await createPasskeySignIn(party)).public_key) } };
    },
  },
  {
    route: 'connectNumber',
    title: 'with a PIN, whose account lacks a template that is stored',
    example: async (fixture) => {
      const id = await secondNumber(fixture);
      fixture.provider.answering(({ path }) =>
        path.includes('/message_templates') ? undefined : { status: 200, body: { success: true, data: [], id: '1040000000000001' } },
      );
      await templateId(fixture);
      return { params: { id }, body: { pin: '482916' } };
    },
    next: async ({ provider }) => provider.answering(undefined),
  },
];
