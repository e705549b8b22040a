// A campaign sender as it is usually built: recipients in PostgreSQL, a job for each on BullMQ, workers that claim the row, call the
// provider and write down what it said. Prints one line of JSON: milliseconds of construction, of sending and of CPU, and how many were sent.
import { Agent, request } from 'node:http';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';

const { POSTGRES_URL, REDIS_PORT, PROVIDER_URL, PHONE_NUMBER_ID, ACCESS_TOKEN } = process.env;
const recipients = Number(process.env.RECIPIENTS ?? 1_000);
const concurrency = Number(process.env.CONCURRENCY ?? 64);

const pool = new pg.Pool({ connectionString: POSTGRES_URL, max: 16 });
const connection = new Redis(Number(REDIS_PORT), '127.0.0.1', { maxRetriesPerRequest: null });
await pool.query(`create table contacts (id bigint primary key, phone text not null unique, name text not null);
  create table recipients (campaign_id int not null, contact_id bigint not null references contacts, phone text not null,
    status text not null default 'queued', wamid text unique, sent_at timestamptz, primary key (campaign_id, contact_id));
  create index on recipients (campaign_id, status)`);
await pool.query(`insert into contacts select n, (4915200000000 + n)::text, 'Person ' || n from generate_series(1, $1::int) n`, [
  recipients,
]);

const queue = new Queue('campaign', { connection });
const beganConstruction = performance.now();
await pool.query(`insert into recipients (campaign_id, contact_id, phone) select 1, id, phone from contacts`);
for (let from = 1; from <= recipients; from += 1_000) {
  const { rows } = await pool.query(`select contact_id, phone from recipients where campaign_id = 1 and contact_id between $1 and $2`, [
    from,
    from + 999,
  ]);
  await queue.addBulk(
    rows.map(({ contact_id, phone }) => ({
      name: 'send',
      data: { contactId: contact_id, phone },
      opts: { jobId: `1-${contact_id}`, attempts: 5, backoff: { type: 'exponential', delay: 1_000 }, removeOnComplete: true },
    })),
  );
}
const constructionMs = performance.now() - beganConstruction;

const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
let sent = 0;
const beganSending = performance.now();
const worker = new Worker(
  'campaign',
  async ({ data: { contactId, phone } }) => {
    // the claim: a job that comes twice must not send twice
    const claim = await pool.query(
      `update recipients set status = 'sending' where campaign_id = 1 and contact_id = $1 and status = 'queued' returning phone`,
      [contactId],
    );
    if (claim.rowCount === 0) return;
    const wamid = await send(phone);
    await pool.query(`update recipients set status = 'sent', wamid = $2, sent_at = now() where campaign_id = 1 and contact_id = $1`, [
      contactId,
      wamid,
    ]);
    sent++;
  },
  { connection, concurrency },
);
await new Promise((resolve, reject) => {
  worker.on('error', reject);
  worker.on('failed', (_job, error) => reject(error));
  const timer = setInterval(() => {
    if (sent < recipients) return;
    clearInterval(timer);
    resolve();
  }, 5);
});
const sendingMs = performance.now() - beganSending;
const { rows } = await pool.query(`select count(*)::int as n from recipients where status = 'sent'`);
if (rows[0].n !== recipients) throw new Error(`Only ${rows[0].n} of ${recipients} were sent.`);
await worker.close();
await queue.close();
connection.disconnect();
await pool.end();
agent.destroy();
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ constructionMs, sendingMs, sent, cpuMs: (user + system) / 1_000 }));

function send(phone) {
  const body = JSON.stringify({
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: `+${phone}`,
    type: 'template',
    template: { name: 'hello_world', language: { code: 'en_US' } },
  });
  return new Promise((resolve, reject) => {
    const call = request(
      `${PROVIDER_URL}/v23.0/${PHONE_NUMBER_ID}/messages`,
      { method: 'POST', agent, headers: { 'content-type': 'application/json', authorization: `Bearer ${ACCESS_TOKEN}` } },
      (response) => {
        let said = '';
        response.on('data', (chunk) => (said += chunk));
        response.on('end', () => {
          if (response.statusCode !== 200) return reject(new Error(`The provider answered ${response.statusCode} ${said}`));
          resolve(JSON.parse(said).messages[0].id);
        });
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}
