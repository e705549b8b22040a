import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { contactImport } from '../../functions/contacts/contract/import.ts';
import { contactEntityName } from '../../functions/contacts/contract/stored.ts';
import { getCounter } from '../../shared/table/counter.ts';
import { newCompany } from '../../test/support/company.ts';
import { type BenchFixture, type Figure, withFixture, type Scenario, expectOk } from '../scenario.ts';

/** ROWS=1000000 for a file of a million. One row in a thousand is wrong. */
const rows = Number(process.env['ROWS'] ?? 100_000);
const wrong = Math.ceil(rows / 1_000);

export const scenario: Scenario = {
  name: 'contacts-file',
  description: `A file of ${rows.toLocaleString('en')} contacts: through the API with deliveries lost and doubled, and by the command line, killed in the middle`,
  deterministic: false,
  measure: () => withFixture(async (fixture) => [...(await throughApi(fixture)), ...(await byCommand())]),
};

async function throughApi({ testApp, company, token }: BenchFixture): Promise<Figure[]> {
  const call = async (method: 'GET' | 'POST', path: string, body?: Record<string, unknown>) =>
    z
      .object({ data: contactImport })
      .parse((await expectOk(testApp.call({ method, path: `/api/v1/contacts/imports${path}`, token, ...(body ? { body } : {}) }))).body)
      .data;
  const people = file();
  const job = await call('POST', '', { filename: 'people.csv', size: Buffer.byteLength(people) });
  const put = await fetch(job.upload?.url ?? '', { method: 'PUT', headers: job.upload?.headers ?? {}, body: people });
  if (!put.ok) throw new Error(`The upload was answered ${put.status}.`);
  await call('POST', `/${job.id}/start`);
  const began = performance.now();
  const cost = await testApp.meter(() => testApp.drain({ disorder: { seed: 1, crash: 0.02, duplicate: 0.02, replay: 0.02 } }));
  const seconds = (performance.now() - began) / 1_000;
  const { status, progress } = await call('GET', `/${job.id}`);
  return [
    { name: 'API, rows a second', unit: 'per second', value: Math.round(rows / seconds) },
    { name: 'API, writes each, stream and repeated work included', unit: 'WRU', value: cost.wru / rows },
    { name: 'API, reads each, stream and repeated work included', unit: 'RRU', value: cost.rru / rows },
    exactly('API, rows that came in', status === 'completed' ? progress.created : 0),
    exactly('API, contacts then', (await getCounter(company.id, contactEntityName)).total),
    { name: 'API, rows in the error file', unit: 'x', value: progress.failed, atLeast: wrong, atMost: wrong },
  ];
}

async function byCommand(): Promise<Figure[]> {
  const { id } = await newCompany();
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-file-'));
  try {
    const path = join(folder, 'people.csv');
    const state = `${path}.company-${id}.progress.json`;
    writeFileSync(path, file());
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(AWS_|TABLE_NAME$|SEALING_)/.test(name)));
    writeFileSync(join(folder, 'runtime.json'), JSON.stringify({ pid: process.pid, env }));
    const run = (during?: (child: ChildProcess) => void) =>
      admin(['contacts', 'import', path, '--company', String(id), '--data', folder], during);
    const began = performance.now();
    const killed = await run((child) => {
      const look = setInterval(() => {
        if (worked(state) < rows * 0.4) return;
        clearInterval(look);
        child.kill('SIGKILL');
      }, 50);
      child.once('exit', () => clearInterval(look));
    });
    const atKill = worked(state);
    const resumed = counted.parse(JSON.parse(await run()));
    const seconds = (performance.now() - began) / 1_000;
    if (killed !== '') throw new Error('The import ended before it was killed.');
    return [
      { name: 'command line, rows a second, the second start included', unit: 'per second', value: Math.round(rows / seconds) },
      { name: 'command line, share done when killed', unit: 'x', value: atKill / rows, atLeast: 0.4 },
      exactly('command line, rows that came in', resumed.created),
      { name: 'command line, rows in the error file', unit: 'x', value: resumed.failed, atLeast: wrong, atMost: wrong },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const counted = z.object({ rows: z.literal(rows), created: z.int(), failed: z.int() });

function admin(args: readonly string[], during?: (child: ChildProcess) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['bin/admin.ts', ...args, '--json'], {
      cwd: join(import.meta.dirname, '../..'),
      env: { PATH: process.env['PATH'] ?? '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    child.once('error', reject);
    child.once('close', () => resolve(output));
    during?.(child);
  });
}

const importRecord = z.object({ counts: z.object({ rows: z.int() }) });

function worked(stateFile: string): number {
  return existsSync(stateFile) ? importRecord.parse(JSON.parse(readFileSync(stateFile, 'utf8'))).counts.rows : 0;
}

function file(): string {
  const lines = Array.from({ length: rows }, (_, n) =>
    n % 1_000 === 500 ? `12,Nobody ${n},,` : `+49153${String(n).padStart(8, '0')},"Person, ${n}",Köln,${n % 10 === 0 ? 'Tenth' : ''}`,
  );
  return `phone,name,city,groups\n${lines.join('\n')}\n`;
}

const exactly = (name: string, value: number): Figure => ({ name, unit: 'x', value, atLeast: rows - wrong, atMost: rows - wrong });
