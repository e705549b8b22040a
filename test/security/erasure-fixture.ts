import { scopes } from '../../shared/contract/route.ts';
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { createHash, randomUUID } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { dynamo, tableName } from '../../shared/table/client.ts';
import { app } from '../../functions/app.ts';
import { issueErpToken } from '../../functions/account/service/machine-tokens.ts';
import { createProfile, issueKey } from '../../functions/account/service/verification-profiles.ts';
import { storedCampaign } from '../../functions/campaigns/contract/stored.ts';
import { addCampaign } from '../../functions/campaigns/store/campaign.ts';
import { createRecipientBatch } from '../../functions/campaigns/store/recipient-batch.ts';
import { tenant } from '../../shared/table/schema.ts';
import { putSetAside } from '../../functions/change-stream/store/set-aside.ts';
import { importsBucket } from '../../functions/contacts/contract/import.ts';
import { searchBucket } from '../../functions/contacts/contract/search-snapshot.ts';
import { linesOf, unpackPart } from '../../functions/contacts/domain/search-snapshot.ts';
import { updateSearchSnapshot } from '../../functions/contacts/service/search-snapshots.ts';
import { createPipeline } from '../../functions/crm/service/pipelines.ts';
import { mediaBucket } from '../../functions/media/contract/bucket.ts';
import { putRecipientHold } from '../../functions/messaging/store/pace.ts';
import { putParkedStatus } from '../../functions/messaging/store/parked-status.ts';
import { putCart, recordOrder } from '../../functions/shop/store/cart.ts';
import { putTestCall } from '../../functions/shop/store/delivery.ts';
import { createPrivacyRequest, privacyRequestKey } from '../../functions/shop/store/privacy.ts';
import { createVerificationWhitelist } from '../../functions/verification/service/admin/whitelists.ts';
import { createWebhook } from '../../functions/webhooks/service/endpoints.ts';
import { endpointEntity } from '../../functions/webhooks/store/endpoint.ts';
import { dayMs, hourMs } from '../../shared/runtime/clock.ts';
import { ulid } from '../../shared/runtime/ids.ts';
import { variableOf } from '../../shared/contract/resource.ts';
import { inboundText, newCompany, providerEnvelope, providerPost, type TestCompany, unwrap } from '../support/company.ts';
import type { Answer } from '../support/gateway-event.ts';
import type { ProviderStub } from '../support/provider-stub.ts';
import type { TestApp } from '../support/test-app.ts';

/** A company that knows one contact in every way the product can, and the same company's other contact, whose data must stay. */
export interface Known {
  company: TestCompany;
  contactId: number;
  otherId: number;
}

export const wilhelmina = {
  name: 'Wilhelmina Zwetschgenbaum',
  phone: '4915198765432',
  asWritten: '0151 / 98 76 54-32',
  email: 'wilhelmina@orchard.example',
  secret: 'the plum tart is under the oak',
  file: 'a photo of the orchard, byte by byte',
};
const other = { name: 'Bo Other', phone: '4915111111111', email: 'bo@elsewhere.example', secret: 'a text of somebody else' };

/** What no one may find any more: parts, so that no spelling hides them. */
const traces = [/wilhelmina/i, /zwetschgen/i, /15198765432/, /0151 \/ 98 76/, /orchard/i, /plum tart/i];
export const tracesIn = (text: string): string[] => traces.filter((trace) => trace.test(text)).map(String);

export const knownCompany = async (testApp: TestApp, provider: ProviderStub): Promise<Known> => {
  const company = await newCompany({ roles: ['member', 'admin', 'owner'] });
  const { id: companyId } = company;
  const token = company.tokens.owner;
  const ok = (answer: Answer): Answer => {
    if (answer.status >= 300) throw new Error(`${answer.status} ${answer.raw}`);
    return answer;
  };
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> =>
    ok(await testApp.call({ method, path: `/api/v1${path}`, token, ...(body === undefined ? {} : { body }) }));
  const idOf = (answer: Answer): number => z.object({ data: z.object({ id: z.int() }) }).parse(answer.body).data.id;
  const post = (value: Record<string, unknown>) => testApp.call(providerPost(company, providerEnvelope(company, value)));

  const { id: endpointId } = unwrap(
    await createWebhook({ companyId, scopes }, { url: 'https://hooks.example.com/in', events: ['*'] }, ulid(Date.now())),
  );
  // no one answers there: every event stays pending, with its log
  await endpointEntity.change({ companyId, id: endpointId }, { set: { url: 'http://127.0.0.1:9/' } });

  for (const contact of [other, wilhelmina])
    ok(await testApp.call(inboundText(company, { from: contact.phone, text: contact.secret, name: contact.name })));
  // she opts out by a message, which is stored as proof, and is subscribed again below
  ok(await testApp.call(inboundText(company, { from: wilhelmina.phone, text: 'STOP', name: wilhelmina.name })));
  await testApp.drain();
  // an answer under an Idempotency-Key is kept for a day
  ok(
    await testApp.call({
      method: 'POST',
      path: '/api/v1/contacts',
      token,
      headers: { 'idempotency-key': `contact-${companyId}` },
      body: { phone: `+${wilhelmina.phone}`, name: wilhelmina.name },
    }),
  );
  const contactOf = async ({ phone, name, email }: typeof other): Promise<number> =>
    idOf(
      await call('POST', '/contacts', { phone: `+${phone}`, name, email, fields: { note: `${name} likes plums` }, groups: ['Friends'] }),
    );
  const otherId = await contactOf(other);
  const contactId = await contactOf(wilhelmina);
  await call('PATCH', `/contacts/${contactId}`, { subscribed: true });

  // a file from her, and one to her
  provider.answering(({ method, path }) => {
    if (method === 'GET' && /\/\d{15}(\?|$)/.test(path))
      return {
        status: 200,
        body: {
          url: `${provider.url}/file`,
          mime_type: 'image/jpeg',
          sha256: hash(JSON.stringify(wilhelmina.file)),
          file_size: 10,
          id: '1',
        },
      };
    return path === '/file' ? { status: 200, body: wilhelmina.file } : undefined;
  });
  const received = {
    from: wilhelmina.phone,
    id: 'wamid.photo',
    timestamp: seconds(),
    type: 'image',
    image: { id: '123456789012345', mime_type: 'image/jpeg', caption: 'My orchard' },
  };
  ok(await post({ contacts: [{ profile: { name: wilhelmina.name }, wa_id: wilhelmina.phone }], messages: [received] }));
  // a kind of update that is not read, and a status of a message that is not known
  ok(
    await testApp.call(
      providerPost(company, {
        ...providerEnvelope(company, {}),
        entry: [
          {
            id: company.number.wabaId,
            changes: [{ field: 'flows', value: { event: 'reply', from: wilhelmina.phone, text: wilhelmina.secret } }],
          },
        ],
      }),
    ),
  );
  await testApp.drain();
  provider.answering(undefined);
  const upload = z
    .object({ data: z.object({ media_id: z.string(), upload_url: z.string(), headers: z.record(z.string(), z.string()) }) })
    .parse((await call('POST', '/media/uploads', { filename: 'wilhelmina.pdf', content_type: 'application/pdf', size: 36 })).body).data;
  await putFile({ url: upload.upload_url, headers: upload.headers }, `%PDF-1.4 ${wilhelmina.file}`.slice(0, 36));
  await call('POST', '/messages/text', { phone: `+${wilhelmina.phone}`, media_id: upload.media_id, message: wilhelmina.secret });
  await call('POST', '/messages/text', { phone: `+${wilhelmina.phone}`, message: `Dear ${wilhelmina.name}` });
  await call('POST', '/messages/text', {
    phone: `+${wilhelmina.phone}`,
    message: `Later, ${wilhelmina.name}`,
    scheduled_at: new Date(testApp.clock.now() + 3 * dayMs).toISOString(),
  });
  const sent = (await testApp.dump({ kind: 'message', companyId })).find(
    (item) => typeof item['wamid'] === 'string' && item['inbound'] === false,
  );
  await putParkedStatus({
    companyId,
    wamid: String(sent?.['wamid']),
    status: 'played',
    update: { id: String(sent?.['wamid']), status: 'played', recipient_id: wilhelmina.phone },
    parkedAt: testApp.clock.now(),
    tries: 0,
    dueAt: testApp.clock.now() + 6 * dayMs,
  });
  // longer than any round takes: what has expired is the table's to remove
  await putRecipientHold(companyId, wilhelmina.phone, testApp.clock.now() + 24 * hourMs);
  await call('POST', '/contacts/check-phone', { phone: `+${wilhelmina.phone}` });

  const pipeline = unwrap(await createPipeline(companyId, { name: 'Sales', template: 'simple' }));
  for (const [id, { name, secret }] of [
    [contactId, wilhelmina],
    [otherId, other],
  ] as const) {
    const lead = idOf(
      await call('POST', '/crm/leads', {
        contact_id: id,
        pipeline_id: pipeline.id,
        title: `${name} wants a roof`,
        requirement: secret,
        creation_key: randomUUID(),
      }),
    );
    await call('POST', `/crm/leads/${lead}/notes`, { body: `${name}: ${secret}` });
    await call('POST', `/conversations/${id}/notes`, { body: `${name}: ${secret}` });
    await call('POST', `/crm/leads/${lead}/tasks`, {
      title: `Call ${name}`,
      due_at: new Date(testApp.clock.now() + 9 * dayMs).toISOString(),
      timezone: 'Europe/Berlin',
    });
  }

  // a member of the staff who is a contact too
  await call('PUT', '/crm/automation/preferences', { work_number: `+${wilhelmina.phone}`, opted_in: true });

  const erp = unwrap(await issueErpToken(companyId, {})).secret;
  for (const [n, { name, phone, email }] of [other, wilhelmina].entries())
    ok(
      await testApp.call({
        method: 'POST',
        path: `/shop/webhooks/custom/${erp}`,
        body: {
          event: 'order.placed',
          data: {
            order_number: `A-${n}`,
            customer_name: name,
            customer_phone: `+${phone}`,
            customer_email: email,
            total_amount: '10.00',
            currency: 'EUR',
            items: [{ name: 'Tart', quantity: 1, price: '10.00' }],
            notes: `For ${name}`,
            shipping_address: { line1: `${name}'s house` },
          },
        },
      }),
    );
  for (const { name, phone, email } of [other, wilhelmina])
    await putCart({
      companyId,
      key: hash(name),
      source: 'storeplatform',
      checkoutIds: [hash(name)],
      state: 'open',
      startedAt: 1,
      lastAt: testApp.clock.now(),
      phone,
      email,
      name,
      items: ['Tart'],
      rev: 0,
      updatedAt: testApp.clock.now(),
    });
  await recordOrder(companyId, { checkoutIds: [], phone: wilhelmina.phone, email: wilhelmina.email }, testApp.clock.now());
  await putTestCall({
    companyId,
    at: testApp.clock.now(),
    event: 'order.placed',
    signature: 'none',
    body: JSON.stringify({ customer: wilhelmina.asWritten, name: wilhelmina.name }),
  });
  await createPrivacyRequest({
    companyId,
    request: privacyRequestKey(testApp.clock.now(), 'd1'),
    at: testApp.clock.now(),
    topic: 'customers/data_request',
    shop: 'a.myshopify.com',
    connectionId: 1,
    email: wilhelmina.email,
    phone: `+${wilhelmina.phone}`,
    contactId,
    orderIds: [],
    dueAt: testApp.clock.now(),
  });

  const profile = unwrap(await createProfile(companyId, { name: 'Sign-in' }));
  const { public_key: key } = unwrap(await issueKey(companyId, profile.id, {}));
  for (const identifier of [`+${wilhelmina.phone}`, wilhelmina.email, `+${other.phone}`])
    ok(
      await testApp.call({
        method: 'POST',
        path: '/api/v1/verification/request',
        headers: { 'x-public-key': key },
        body: { identifier, purpose: 'login' },
      }),
    );
  unwrap(await createVerificationWhitelist(companyId, { profile_id: profile.id, kind: 'identifier', value: `+${wilhelmina.phone}` }));

  await addCampaign(
    storedCampaign.parse({
      companyId,
      id: 77,
      rev: 1,
      name: `For ${wilhelmina.name}`,
      type: 'regular',
      status: 'completed',
      templateId: 1,
      template: { name: 'hello', language: 'en', category: 'UTILITY' },
      audienceType: 'contact',
      contactId,
      sendNow: true,
      timezone: 'UTC',
      preventDuplicates: false,
      values: { body: { 1: wilhelmina.name } },
      match: {},
      batchCount: 0,
      audience: 1,
      excluded: {},
      retried: 0,
      runNumber: 1,
      chainCount: 1,
      operationId: 'campaign-77',
      createdAt: 1,
      updatedAt: 1,
    }),
    undefined,
    [],
  );
  await createRecipientBatch({
    companyId,
    campaignId: 77,
    batch: 2 ** 52,
    rev: 0,
    builtAtRev: 0,
    contactIds: [contactId],
    processed: 1,
    waiting: [],
    done: true,
    skipped: [],
    isSingleRecipient: true,
    data: { body: { 1: wilhelmina.name } },
  });

  for (const [id, { secret, name, phone }] of [
    [contactId, wilhelmina],
    [otherId, other],
  ] as const)
    for (const image of [
      { kind: { S: 'message' }, contactId: { N: String(id) }, value: { S: secret } },
      { kind: { S: 'message' }, customer: { S: name }, text: { S: phone } },
      // as a contact is stored
      { kind: { S: 'contact' }, i: { N: String(id) }, n: { S: name.slice(0, 4) } },
    ])
      await putSetAside({
        eventId: randomUUID(),
        of: image.kind.S,
        error: 'TypeError',
        record: JSON.stringify({ dynamodb: { NewImage: { pk: { S: `${tenant(companyId)}#${image.kind.S}` }, ...image } } }),
        at: testApp.clock.now(),
      });

  const rows = `phone,name,email\n+${other.phone},${other.name},\n${wilhelmina.asWritten},${wilhelmina.name},not an address\n`;
  const job = z
    .object({ data: z.object({ id: z.int(), upload: z.object({ url: z.string(), headers: z.record(z.string(), z.string()) }) }) })
    .parse((await call('POST', '/contacts/imports', { filename: 'people.csv', size: Buffer.byteLength(rows) })).body).data;
  await putFile(job.upload, rows);
  await call('POST', `/contacts/imports/${job.id}/start`);
  await testApp.drain();
  await call('POST', '/contact-jobs', { all: true, export: 'csv' });
  await testApp.drain();
  testApp.clock.advance(10_000);
  await updateSearchSnapshot(companyId);
  return { company, contactId, otherId };
};

async function putFile({ url, headers }: { url: string; headers: Record<string, string> }, body: string): Promise<void> {
  const put = await fetch(url, { method: 'PUT', headers, body });
  if (put.status !== 200) throw new Error(`The store answered ${put.status}: ${await put.text()}`);
}

/** Everything that stays anywhere: table, buckets, queues with their dead letters, logs. One line each, with the place in front. */
export const dumpOf = async (testApp: TestApp): Promise<{ place: string; text: string }[]> => {
  const items = (await testApp.dump()).map((item) => ({ place: `table ${String(item['kind'])}`, text: JSON.stringify(item) }));
  const queues = app.flatMap((context) => context.functions).flatMap((each) => (each.trigger === 'queue' ? [each.queue] : []));
  const messages = queues.flatMap((queue) =>
    [...testApp.queued(queue), ...testApp.deadLettersOf(queue)].map((body) => ({
      place: `queue ${queue.name}`,
      text: JSON.stringify(body),
    })),
  );
  const logs = testApp.logs.map((line) => ({ place: 'logs', text: JSON.stringify(line) }));
  return [...items, ...(await objects()), ...messages, ...logs];
};

async function objects(): Promise<{ place: string; text: string }[]> {
  const s3 = new S3Client({ forcePathStyle: true });
  const found: { place: string; text: string }[] = [];
  for (const bucket of [mediaBucket, importsBucket, searchBucket]) {
    const Bucket = process.env[variableOf(bucket)] ?? '';
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
    for (const { Key = '' } of Contents) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
      const text = bucket === searchBucket ? JSON.stringify(linesOf(unpackPart(bytes))) : bytes.toString();
      found.push({ place: `bucket ${bucket.name}`, text: `${Key} ${text}` });
    }
  }
  s3.destroy();
  return found;
}

/** Between runs that follow each other in one test app: everything goes, apart from the counters, so that no id comes twice. */
export const emptyStore = async (testApp: TestApp): Promise<void> => {
  await deleteItems(testApp, ({ kind }) => kind !== 'counter');
  const s3 = new S3Client({ forcePathStyle: true });
  for (const bucket of [mediaBucket, importsBucket, searchBucket]) {
    const Bucket = process.env[variableOf(bucket)] ?? '';
    const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
    for (const { Key = '' } of Contents) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
  }
  s3.destroy();
  await testApp.drain();
};

/** As the table's TTL does: the items go, and the change stream has it. */
export const deleteItems = async (testApp: TestApp, isMeant: (item: Record<string, unknown>) => boolean): Promise<void> => {
  const items = (await testApp.dump()).filter(isMeant);
  await Promise.all(items.map(({ pk, sk }) => dynamo.send(new DeleteCommand({ TableName: tableName(), Key: { pk, sk } }))));
};

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const seconds = (): string => String(Math.floor(Date.now() / 1_000));
