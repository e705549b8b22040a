import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway } from '../../lib/local/gateway.ts';
import { functionMemoryMb, visibilitySeconds } from './fixture/template.ts';
import { type RunnerProcess, type RunnerFolder, runnerFolder } from './fixture/process.ts';

describe('a running product', () => {
  let place: RunnerFolder;
  let runner: RunnerProcess;
  beforeAll(async () => {
    place = runnerFolder();
    runner = await place.start();
  });
  afterAll(() => place.clear());

  it('hands a route its key and decoded parameters, a function URL only the path', async () => {
    const route = (await runner.call('GET', '/echo/a%20b?x=1&x=2')).body;
    expect(route).toMatchObject({ routeKey: 'GET /echo/{name}', pathParameters: { name: 'a b' }, queryStringParameters: { x: '1,2' } });
    expect((await runner.call('GET', '/nowhere')).body).toEqual({ message: 'fixture fallback' });
    const hook = await runner.call('POST', '/hook/secret-token', { a: 1 });
    expect(hook.body).toMatchObject({ routeKey: '$default', rawPath: '/hook/secret-token', body: '{"a":1}', isBase64Encoded: false });
    expect(hook.body).not.toHaveProperty('pathParameters');
  });

  it('contains a function that exits or never ends', async () => {
    expect(await runner.call('GET', '/exit')).toEqual({ status: 500, body: { message: 'Internal Server Error' } });
    expect((await runner.call('GET', '/loop')).status).toBe(500);
    expect((await runner.call('GET', '/date')).status).toBe(200);
  });

  it('ends a function that holds more in buffers than its memory, and lets it hold less', async () => {
    const fits = functionMemoryMb / 2;
    expect(await runner.call('GET', `/files/${fits}`)).toEqual({ status: 200, body: { held: fits } });
    expect(await runner.call('GET', `/files/${2 * functionMemoryMb}`)).toEqual({ status: 500, body: { message: 'Internal Server Error' } });
    expect((await runner.call('GET', '/date')).status).toBe(200);
  });

  it('brings a failed message back and gives it to the dead-letter queue after its last delivery', async () => {
    await runner.call('POST', '/send', { messages: [{ body: { name: 'bad', fail: true } }, { body: { name: 'good' } }] });
    await runner.idle();
    const jobs = (await runner.rows('JOB')).map((sk) => sk.split('#').slice(1).join('#'));
    expect(jobs.toSorted()).toEqual(['bad#1', 'bad#2', 'good#1']);
  });

  it('hides a message whose process ended from others until its visibility timeout ends, as on AWS', async () => {
    await runner.call('POST', '/send', { messages: [{ body: { name: 'deadly', exit: true } }] });
    await runner.idle();
    const deliveries = (await runner.rows('JOB')).map((sk) => sk.split('#')).filter(([, name]) => name === 'deadly');
    expect(deliveries.map(([, , count]) => count)).toEqual(['1', '2']);
    const [first = 0, second = 0] = deliveries.map(([at]) => Number(at));
    expect(second - first).toBeGreaterThanOrEqual(visibilitySeconds * 1_000 - 200);
  });

  it('takes an event over the bus to the functions whose rule fits', async () => {
    await runner.call('POST', '/publish', { name: 'good news' });
    await runner.call('POST', '/publish', { name: 'bad news' });
    await runner.idle();
    expect(await runner.rows('EVENT')).toEqual(['good news']);
  });

  it('moves the time of everything, and lets what falls due on the way happen in order', async () => {
    const before = ((await runner.call('GET', '/date')).body as { now: number }).now;
    const messages = [
      { body: { name: 'later' }, delay: 600 },
      { body: { name: 'sooner' }, delay: 60 },
    ];
    await runner.call('POST', '/send', { messages });
    const moved = await runner.call('POST', '/_local/clock', { advance_seconds: 3600 });
    expect(moved).toMatchObject({ status: 200, body: { data: { advanced_seconds: 3600 } } });
    const after = ((await runner.call('GET', '/date')).body as { now: number }).now;
    expect(after - before).toBeGreaterThanOrEqual(3_600_000);
    expect(after - before).toBeLessThan(3_700_000);
    const jobs = (await runner.rows('JOB')).map((sk) => sk.split('#')).filter(([, name]) => name === 'later' || name === 'sooner');
    expect(jobs.map(([, name]) => name)).toEqual(['sooner', 'later']);
    const [sooner = 0, later = 0] = jobs.map(([at]) => Number(at) - before);
    expect(sooner).toBeGreaterThanOrEqual(60_000);
    expect(sooner).toBeLessThan(160_000);
    expect(later).toBeGreaterThanOrEqual(600_000);
    expect(later).toBeLessThan(700_000);
    expect((await runner.rows('TICK')).length).toBeGreaterThanOrEqual(3);
  });

  it('is set back to now: schedules tick, functions forget what they remember, and what is due later waits for its time', async () => {
    await runner.call('POST', '/send', { messages: [{ body: { name: 'ahead' }, delay: 600 }] });
    const remembered = (await runner.call('GET', '/remember')).body;
    expect((await runner.call('GET', '/remember')).body).toEqual(remembered);
    expect((await runner.call('POST', '/_local/clock', { set_to: 'now' })).status).toBe(200);
    const { now } = (await runner.call('GET', '/date')).body as { now: number };
    expect(Math.abs(now - Date.now())).toBeLessThan(5_000);
    expect((await runner.call('GET', '/remember')).body).not.toEqual(remembered);
    await runner.call('POST', '/_local/clock', { advance_seconds: 120 });
    const ticks = (await runner.rows('TICK')).map(Number).filter((at) => at >= now && at < now + 200_000);
    expect(ticks.length).toBeGreaterThanOrEqual(1);
    const isDone = async (): Promise<boolean> => (await runner.rows('JOB')).some((sk) => sk.split('#')[1] === 'ahead');
    expect(await isDone()).toBe(false);
    await runner.call('POST', '/_local/clock', { advance_seconds: 4 * 3_600 });
    expect(await isDone()).toBe(true);
  });

  it('drops what has expired by the moved time, and the stream says that nobody deleted it', async () => {
    const { now } = (await runner.call('GET', '/date')).body as { now: number };
    await runner.call('POST', '/put', { count: 1, from: 500, ttl: Math.floor(now / 1000) + 3600 });
    await runner.call('POST', '/_local/clock', { advance_seconds: 60 });
    expect(await runner.rows('ROW')).toContain('500');
    await runner.call('POST', '/_local/clock', { advance_seconds: 7200 });
    expect(await runner.rows('ROW')).not.toContain('500');
    expect(await runner.rows('GONE#500')).toEqual(['dynamodb.amazonaws.com']);
  });

  it('throttles a share of the table requests while told to', async () => {
    expect((await runner.call('PUT', '/_local/faults', { throttle_table: 0.5, seed: 7 })).status).toBe(200);
    const { failed } = (await runner.call('POST', '/put', { count: 40, from: 1000 })).body as { failed: string[] };
    expect(failed.length).toBeGreaterThan(8);
    expect(failed.length).toBeLessThan(32);
    await runner.call('PUT', '/_local/faults', {});
    expect((await runner.call('POST', '/put', { count: 40, from: 2000 })).body).toEqual({ failed: [] });
  });

  it('delivers all work in spite of crashes, duplicates and delays', async () => {
    await runner.call('PUT', '/_local/faults', { crash: 0.4, duplicate: 0.4, reorder: 0.4, delay_ms: 2, seed: 3 });
    await runner.call('POST', '/put', { count: 30, from: 3000 });
    await runner.call('POST', '/send', { messages: Array.from({ length: 10 }, (_, i) => ({ body: { name: `job${i}` } })) });
    await runner.idle();
    await runner.call('PUT', '/_local/faults', {});
    for (let i = 3000; i < 3030; i += 7) expect(await runner.rows(`SEEN#${i}`)).toEqual(['seen']);
    const names = new Set((await runner.rows('JOB')).map((sk) => sk.split('#')[1]));
    for (let i = 0; i < 10; i++) expect(names).toContain(`job${i}`);
  });

  it.each([
    ['PUT', '/_local/faults', { crash: 2 }, 'crash'],
    ['PUT', '/_local/faults', { nonsense: 1 }, 'nonsense'],
    ['PUT', '/_local/faults', { delay_ms: 'x' }, 'delay_ms'],
    ['POST', '/_local/clock', {}, 'advance_seconds'],
    ['POST', '/_local/clock', { advance_seconds: -1 }, 'advance_seconds'],
    ['POST', '/_local/clock', { set_to: 'yesterday' }, 'set_to'],
    ['POST', '/_local/clock', { set_to: 'now', advance_seconds: 1 }, 'advance_seconds'],
    ['POST', '/_local/idle', { timeout_seconds: 'soon' }, 'timeout_seconds'],
  ])('%s %s %j is 400 and names %s', async (method, path, body, field) => {
    const answer = await runner.call(method, path, body);
    expect(answer.status).toBe(400);
    expect(Object.keys((answer.body as { errors: object }).errors)).toContain(field);
  });

  it('refuses a second runner on its folder', async () => {
    await expect(place.start()).rejects.toThrow(/Another runner \(process \d+\) is using/);
  });
});

describe('a runner that is killed', () => {
  it('skips no change: what was written before and while it died is seen after the restart', async () => {
    const place = runnerFolder();
    try {
      let runner = await place.start();
      for (let round = 0; round < 2; round++) {
        // again where a busy machine ended the function before it had written all; the kill ends it
        const write = async (): Promise<void> => {
          for (let status = 0; status !== 200; ) ({ status } = await runner.call('POST', '/put', { count: 100, from: round * 100 }));
        };
        const writing = write().catch(() => {});
        // killed while it writes and delivers
        await expect.poll(async () => (await runner.rows('ROW')).length, { interval: 1 }).toBeGreaterThanOrEqual(round * 100 + 50);
        await runner.end('SIGKILL');
        await writing;
        runner = await place.start();
      }
      await runner.idle();
      const written = await runner.rows('ROW');
      expect(written.length).toBeGreaterThanOrEqual(100);
      for (const sk of written) expect(await runner.rows(`SEEN#${sk}`), sk).toEqual(['seen']);
    } finally {
      await place.clear();
    }
  });
});

describe('the port', () => {
  it('in use is told in one sentence', async () => {
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const address = holder.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await expect(startGateway(port)).rejects.toThrow(`Port ${port} is in use.`);
    holder.close();
  });
});
