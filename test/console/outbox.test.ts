import { storage } from './fake-browser.ts';
import { describe, expect, test, vi } from 'vitest';
import type { Deliver, Outbox as OutboxClass, Outgoing } from '../../console/data/outbox.ts';
import type { StoredFiles } from '../../console/data/stored-files.ts';

const { mayTryAgain, Outbox } = await import('../../console/data/outbox.ts');
const { SwitchboardProblem } = await import('../../console/data/client.ts');
const { filesOf } = await import('../../console/data/stored-files.ts');
const { StoredTexts } = await import('../../console/data/stored.ts');

const textFor = (conversationId: number, text: string) => ({
  conversationId,
  text,
  sending: { operation: 'sendText' as const, fields: { contact_id: conversationId, message: text } },
});

/** An outbox whose deliveries are answered by the test, one after the other. */
const underTest = (user = '1.5.', files: StoredFiles = filesOf(user)) => {
  const tries: Outgoing[] = [];
  const answers: { resolve: (messageId: number) => void; reject: (error: Error) => void; onFile: Parameters<Deliver>[1] }[] = [];
  const show = vi.fn<(conversationId: number) => Promise<unknown>>(async () => undefined);
  const outbox = new Outbox(
    (outgoing, onFile) =>
      new Promise((resolve, reject) => {
        tries.push(outgoing);
        answers.push({ resolve, reject, onFile });
      }),
    show,
    new StoredTexts(`switchboard.${user}`),
    files,
  );
  return { outbox, tries, answers, show, files };
};
/** The page is loaded anew: what it kept in memory is gone. */
const reloaded = async (files?: StoredFiles) => {
  const page = underTest('1.5.', files);
  await page.outbox.load();
  await rest();
  return page;
};
const statesOf = (outbox: OutboxClass): unknown[] => outbox.entries().map(({ text, state }) => [text, state]);
const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

describe('the outbox', () => {
  test('shows a message from the press until its thread has it', async () => {
    const { outbox, answers, show } = underTest();
    outbox.send(textFor(7, 'Hello'));
    expect(statesOf(outbox)).toEqual([['Hello', 'sending']]);
    await rest();
    let shown: () => void = () => undefined;
    show.mockImplementation(() => new Promise<void>((resolve) => (shown = resolve)));
    answers[0]?.resolve(99);
    await rest();
    expect(outbox.entries().map(({ messageId }) => messageId)).toEqual([99]);
    expect(show).toHaveBeenCalledWith(7);
    shown();
    await rest();
    expect(outbox.entries()).toEqual([]);
  });

  test('tries a failed message again with the same key, and the same file without another upload', async () => {
    const { outbox, tries, answers } = underTest();
    outbox.send({ ...textFor(7, 'Hello'), file: new File(['x'], 'x.txt') });
    await rest();
    answers[0]?.onFile({ mediaId: 'media-1' });
    answers[0]?.reject(new Error('No connection.'));
    await rest();
    expect(statesOf(outbox)).toEqual([['Hello', 'failed']]);
    outbox.retry(String(tries[0]?.key));
    expect(statesOf(outbox)).toEqual([['Hello', 'sending']]);
    expect(outbox.entries()[0]?.error).toBeUndefined();
    await rest();
    expect(tries[1]?.key).toBe(tries[0]?.key);
    expect(tries[1]?.mediaId).toBe('media-1');
  });

  test('tries by itself, once the API answers again, what got no answer or a failure of ours; never what was refused', async () => {
    const { outbox, tries, answers } = underTest();
    for (const id of [1, 2, 3]) outbox.send(textFor(id, `To ${id}`));
    await rest();
    answers[0]?.reject(new TypeError('No connection.'));
    answers[1]?.reject(new SwitchboardProblem(500, { code: 'internal_error' }, 'req-1'));
    answers[2]?.reject(new SwitchboardProblem(429, { code: 'rate_limited' }, 'req-2'));
    await rest();
    outbox.retryUnanswered();
    await rest();
    expect(tries.map(({ text }) => text)).toEqual(['To 1', 'To 2', 'To 3', 'To 1', 'To 2']);
    expect(tries[3]?.key).toBe(tries[0]?.key);
    const again = await reloaded();
    again.outbox.retryUnanswered();
    await rest();
    expect(again.tries.map(({ text }) => text)).not.toContain('To 3');
  });

  test('tries nothing again that is under way or was discarded', async () => {
    const { outbox, tries, answers } = underTest();
    outbox.send(textFor(7, 'Hello'));
    await rest();
    const key = String(tries[0]?.key);
    outbox.retry(key);
    expect(tries).toHaveLength(1);
    answers[0]?.reject(new Error('No connection.'));
    await rest();
    outbox.discard(key);
    outbox.retry(key);
    expect(tries).toHaveLength(1);
    expect(outbox.entries()).toEqual([]);
  });

  test('sends the messages of a conversation one after the other, and goes on behind one that failed', async () => {
    const { outbox, tries, answers } = underTest();
    for (const text of ['One', 'Two']) outbox.send(textFor(7, text));
    outbox.send(textFor(8, 'To another'));
    await rest();
    expect(tries.map(({ text }) => text)).toEqual(['One', 'To another']);
    answers[0]?.reject(new Error('No connection.'));
    await rest();
    expect(tries.map(({ text }) => text)).toEqual(['One', 'To another', 'Two']);
    expect(new Set(tries.map(({ key }) => key)).size).toBe(3);
    answers[2]?.resolve(3);
    await rest();
    expect(statesOf(outbox)).toEqual([
      ['One', 'failed'],
      ['To another', 'sending'],
    ]);
  });

  test('lets go of a message that the provider refused: its thread shows it with the reason, and no try would change it', async () => {
    const { outbox, answers, show } = underTest();
    outbox.send(textFor(7, 'Hello'));
    await rest();
    const body = { code: 'provider_rejected', message: 'Refused.', details: { message_id: 12, provider_code: 131026 } };
    answers[0]?.reject(new SwitchboardProblem(422, body, 'req-1'));
    await rest();
    expect(outbox.entries()).toEqual([]);
    expect(show).toHaveBeenCalledWith(7);
    expect((await reloaded()).outbox.entries()).toEqual([]);
  });

  test('keeps what the API refused, with the same key for another try', async () => {
    const { outbox, tries, answers } = underTest();
    outbox.send(textFor(7, 'Hello'));
    await rest();
    answers[0]?.reject(new SwitchboardProblem(422, { code: 'window_closed', message: 'The window is closed.' }, 'req-1'));
    await rest();
    expect(outbox.entries()[0]?.error).toBeInstanceOf(SwitchboardProblem);
    outbox.retry(String(tries[0]?.key));
    await rest();
    expect(tries.map(({ key }) => key)).toEqual([tries[0]?.key, tries[0]?.key]);
  });

  test('is of one session: another one has nothing of it', async () => {
    const [one, other] = [underTest('1.5.'), underTest('2.5.')];
    one.outbox.send(textFor(1, 'For Ada of company 1'));
    await rest();
    await other.outbox.load();
    expect(other.outbox.entries()).toEqual([]);
    other.outbox.retry(String(one.tries[0]?.key));
    expect(other.tries).toEqual([]);
  });

  test('tells those who show it of each change, as long as they do', async () => {
    const { outbox, answers } = underTest();
    const observer = vi.fn<() => void>();
    const stop = outbox.subscribe(observer);
    outbox.send(textFor(7, 'Hello'));
    expect(observer).toHaveBeenCalled();
    await rest();
    stop();
    observer.mockClear();
    answers[0]?.resolve(1);
    await rest();
    expect(observer).not.toHaveBeenCalled();
  });
});

describe('a page that is loaded anew', () => {
  test('goes on sending what was under way, with the same key, and shows what failed', async () => {
    const before = underTest();
    before.outbox.send(textFor(7, 'Failed'));
    await rest();
    before.answers[0]?.reject(new Error('No connection.'));
    await rest();
    before.outbox.send(textFor(7, 'Under way'));
    await rest();
    const { outbox, tries } = await reloaded();
    expect(statesOf(outbox)).toEqual([
      ['Failed', 'failed'],
      ['Under way', 'sending'],
    ]);
    expect(tries.map(({ key }) => key)).toEqual([before.tries[1]?.key]);
  });

  test('has nothing of what was accepted or discarded', async () => {
    const before = underTest();
    before.outbox.send(textFor(7, 'Accepted'));
    await rest();
    before.answers[0]?.resolve(1);
    await rest();
    before.outbox.send(textFor(7, 'Discarded'));
    before.outbox.discard(String(before.outbox.entries()[0]?.key));
    expect((await reloaded()).outbox.entries()).toEqual([]);
    expect(JSON.stringify(storage)).not.toContain('outbox');
  });

  test('sends no message without the file that went with it', async () => {
    const before = underTest();
    before.outbox.send({ ...textFor(7, 'See attached'), file: new File(['x'], 'x.txt') });
    await rest();
    const withFile = await reloaded(before.files);
    expect(withFile.tries.map(({ file }) => file?.name)).toEqual(['x.txt']);
    const withoutFile = await reloaded();
    expect(statesOf(withoutFile.outbox)).toEqual([['See attached', 'failed']]);
    expect(withoutFile.tries).toEqual([]);
    expect(withoutFile.outbox.entries().map((entry) => mayTryAgain(entry))).toEqual([false]);
  });

  test('tries nothing again that is older than the API remembers a key', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-26T12:00:00Z') });
    underTest().outbox.send(textFor(7, 'Of yesterday'));
    vi.setSystemTime(Date.parse('2026-11-27T12:00:00Z'));
    const { outbox, tries } = await reloaded();
    expect([statesOf(outbox), tries]).toEqual([[['Of yesterday', 'failed']], []]);
    outbox.retry(String(outbox.entries()[0]?.key));
    await rest();
    expect(tries).toEqual([]);
    vi.useRealTimers();
  });

  test('shows what another tab sends, and no more once that has sent it', async () => {
    const one = underTest();
    one.outbox.send(textFor(7, 'Hello'));
    await rest();
    const other = await reloaded();
    expect(statesOf(other.outbox)).toEqual([['Hello', 'sending']]);
    one.answers[0]?.resolve(1);
    await rest();
    await other.outbox.load();
    expect(other.outbox.entries()).toEqual([]);
  });

  test('puts back what was discarded, to be tried when the user says so', async () => {
    const { outbox, tries } = underTest();
    outbox.send(textFor(7, 'Hello'));
    await rest();
    const [entry] = outbox.entries();
    if (!entry) throw new Error('Nothing is being sent.');
    outbox.discard(entry.key);
    outbox.putBack(entry);
    expect(statesOf(outbox)).toEqual([['Hello', 'failed']]);
    expect(statesOf((await reloaded()).outbox)).toEqual([['Hello', 'failed']]);
    expect(tries).toHaveLength(1);
  });
});
