// Codes by phone as better-auth's phone number plugin makes and checks them, on PostgreSQL: its own defaults, its tables made by its own
// migration. The check is consumePhoneNumberOTP, which makes neither a user nor a session: the least that it can do. Prints one line of
// JSON: milliseconds of all requests and of all checks, the CPU milliseconds of this process and of the database in them, the statements.
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { phoneNumber } from 'better-auth/plugins';
import pg from 'pg';
import { cpuMsUnder } from '../cpu.ts';

const { POSTGRES_URL, POSTGRES_PID } = process.env;
const pairs = Number(process.env.PAIRS ?? 1_000);
const concurrency = Number(process.env.CONCURRENCY ?? 16);

let statements = 0;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (...parts) {
  statements++;
  return query.apply(this, parts);
};

const codes = new Map();
const options = {
  database: new pg.Pool({ connectionString: POSTGRES_URL, max: concurrency }),
  secret: 'a secret of this measurement only, 32 characters and more',
  baseURL: 'http://127.0.0.1',
  logger: { disabled: true },
  plugins: [phoneNumber({ sendOTP: ({ phoneNumber: to, code }) => void codes.set(to, code) })],
};
await (await getMigrations(options)).runMigrations();
const auth = betterAuth(options);

const request = async (phone) => {
  const response = await auth.handler(
    new Request('http://127.0.0.1/api/auth/phone-number/send-otp', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ phoneNumber: phone }),
    }),
  );
  if (response.status !== 200) throw new Error(`send-otp answered ${response.status} ${await response.text()}`);
};
const check = async (phone) => {
  const answer = await auth.api.consumePhoneNumberOTP({ body: { phoneNumber: phone, code: codes.get(phone) } });
  if (answer.status !== true) throw new Error('A right code was not taken.');
};

const phoneOf = (nth) => `+49151${String(nth).padStart(4, '0')}0001`;
await inTurns(50, (nth) => request(phoneOf(9_000 + nth)).then(() => check(phoneOf(9_000 + nth))));
const before = { own: process.cpuUsage(), database: cpuMsUnder(Number(POSTGRES_PID)), statements };
const beganRequests = performance.now();
await inTurns(pairs, (nth) => request(phoneOf(nth)));
const requestsMs = performance.now() - beganRequests;
const beganChecks = performance.now();
await inTurns(pairs, (nth) => check(phoneOf(nth)));
const checksMs = performance.now() - beganChecks;
const { user, system } = process.cpuUsage(before.own);
const databaseCpuMs = cpuMsUnder(Number(POSTGRES_PID)) - before.database;
const calls = statements - before.statements;
console.log(JSON.stringify({ requestsMs, checksMs, ownCpuMs: (user + system) / 1_000, databaseCpuMs, calls }));
process.exit(0);

async function inTurns(count, work) {
  let next = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < count) await work(next++);
    }),
  );
}
