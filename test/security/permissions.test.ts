import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { app } from '../../functions/app.ts';
import { protectedPartitions } from '../../shared/contract/resource.ts';
import { referred, statementsOf, templateOf } from '../wiring/template.ts';
import { callsOf } from './calls.ts';

/** What each function's role allows in the synthesised stack, against the calls that the function's code makes: none missing, none unused. */
const template = templateOf(app);
const statements = statementsOf(template).filter(({ Effect }) => Effect === 'Allow');
const functions = app.flatMap((context) => context.functions);

/** What Lambda itself does with a role: logs, traces, and reading what wakes the function. */
const plumbing =
  /^(logs|xray):|^sqs:(ReceiveMessage|DeleteMessage|ChangeMessageVisibility|GetQueueAttributes|GetQueueUrl)$|^dynamodb:(DescribeStream|GetRecords|GetShardIterator|ListStreams)$/;

/** Named in the code and never made. */
const neverMade: Readonly<Record<string, readonly string[]>> = {
  // these pass on a business number, whose secrets are opened only by who sends (account/service/numbers)
  'messaging-consent-keywords': ['secretsmanager:GetSecretValue'],
  // and its summaries count the conversations that wait, without a search, whose snapshot is a file (conversations/service/list-conversations)
  'campaign-checks': ['secretsmanager:GetSecretValue', 's3:GetObject'],
  // a contact that is met by its phone keeps it, and its user id: nothing that it is found by is deleted (contacts/store/contact)
  ...Object.fromEntries(
    ['messaging-http', 'messaging-template-sends', 'contacts-imports', 'shop-orders', 'shop-custom', 'campaigns-send', 'crm-worker'].map(
      (name) => [
        name,
        ['dynamodb:DeleteItem', ...(name === 'messaging-http' || name === 'messaging-template-sends' ? ['dynamodb:PartiQLUpdate'] : [])],
      ],
    ),
  ),
  // the results of a campaign's sends alone are written together (messaging/service/send-attempt)
  'messaging-sends': ['dynamodb:PartiQLUpdate'],
  'shop-connections': ['dynamodb:DeleteItem'],
  // who writes in is not held against the plan, whose look at quota that stopped processes hold it is (contacts/store/quota)
  'messaging-updates': ['dynamodb:BatchGetItem'],
  'shop-followups': ['secretsmanager:GetSecretValue', 'dynamodb:DeleteItem'],
  // on a restored table alone, whose stack permits it (lib/aws/table.ts): whether that is open. Of credentials: no route of the reference takes one
  ...Object.fromEntries(['reference-http', 'dispatch-tick'].map((name) => [name, ['dynamodb:GetItem']])),
  // a campaign's file is with the provider before the first batch is made (messaging/service/campaign-recipients)
  'campaign-blocks': ['s3:GetObject'],
};

function grantedTo(functionName: string): string[] {
  const made = template
    .ofType('AWS::Lambda::Function')
    .find(({ Properties }) => Properties['FunctionName'] === `switchboard-${functionName}`);
  const role = referred(made?.Properties['Role']);
  return statements.filter(({ holder }) => holder === role).flatMap(({ Action }) => Action.filter((action) => !plumbing.test(action)));
}

const secretNames = [
  ...new Set(functions.flatMap(({ uses }) => uses).flatMap((use) => (use.resource === 'secret' ? [use.secret.name] : []))),
];

describe('a function that was taken over', () => {
  test.each(functions.map((spec) => [spec.name, spec] as const))('%s mints what its code creates, and no more', async (_, spec) => {
    const { creates } = await callsOf(spec);
    expect([...(spec.mints ?? [])].toSorted()).toEqual([...creates].filter((name) => name in protectedPartitions).toSorted());
  });
});

describe.each(functions.map((spec) => [spec.name, spec] as const))('%s', (name, spec) => {
  test('may do what its code does, and no more', async () => {
    const { actions, resources } = await callsOf(spec);
    const made = [...actions].filter((action) => !neverMade[name]?.includes(action));
    expect([...new Set(grantedTo(name))].toSorted()).toEqual(made.toSorted());
    const unused = spec.uses.flatMap((use) => {
      const { data: used } = z.object({ name: z.string() }).safeParse(use[use.resource as keyof typeof use]);
      return used === undefined || resources.has(used.name) ? [] : [used.name];
    });
    expect(unused).toEqual([]);
    const declared = spec.uses.flatMap((use) => (use.resource === 'secret' ? [use.secret.name] : []));
    const read = made.includes('secretsmanager:GetSecretValue') ? secretNames.filter((secret) => resources.has(secret)) : [];
    expect(read.filter((secret) => !declared.includes(secret))).toEqual([]);
  });
});
