import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Console } from './console.ts';
import { ada, composer, customerOf, messageOf, openThread, row } from './inbox-page.ts';

/** The kinds of messages that the inbox of test/browser/walks/inbox.ts sends and shows, in a conversation that is open. */
export const messagesInTheInbox = (swb: () => Console, page: () => Page): void => {
  const { accepted, acceptedTexts, inbound } = customerOf(swb);

  test('keeps a note among the messages for the team, and off the phone', async () => {
    await page().locator('.thread-header').click();
    await page().keyboard.press('n');
    await page().getByRole('textbox', { name: 'Note' }).fill('Ada is a regular');
    await page().keyboard.press('Enter');
    await page().locator('.message.note').filter({ hasText: 'Ada is a regular' }).waitFor();
    expect(JSON.stringify(await accepted(ada.phone))).not.toContain('regular');
  });

  test('offers saved replies by a slash', async () => {
    await swb().product.api.setCannedReply({ params: { shortcut: 'hours' }, body: { text: 'We are open from 8 to 6.' } });
    await composer(page()).fill('/ho');
    await page().getByRole('option', { name: /hours/ }).waitFor();
    await page().keyboard.press('Enter');
    await expect.poll(() => composer(page()).inputValue()).toBe('We are open from 8 to 6.');
    await composer(page()).fill('');
  });

  test('schedules a message, shows when it goes, and takes it back', async () => {
    await composer(page()).fill('See you tomorrow');
    await page().getByRole('button', { name: 'Send later' }).first().click();
    await page().getByRole('button', { name: 'Send later' }).last().click();
    await messageOf(page(), 'See you tomorrow')
      .getByText(/^Sends /)
      .waitFor();
    await messageOf(page(), 'See you tomorrow').getByRole('button', { name: 'Do not send' }).click();
    await messageOf(page(), 'See you tomorrow').getByText('Cancelled').waitFor();
    expect(await messageOf(page(), 'See you tomorrow').getByText('Not delivered').count()).toBe(0);
    await row(page(), ada.name).getByRole('img', { name: 'Cancelled' }).waitFor();
    expect(await acceptedTexts(ada.phone, 'See you tomorrow')).toBe(0);
  });

  test('sends buttons once, shows the press that comes back, and what the contact reacted with', async () => {
    await openThread(page(), ada.name);
    await page().getByRole('button', { name: 'Buttons, a list or a link' }).click();
    const dialog = page().getByRole('dialog');
    await dialog.getByLabel('Message').fill('Shall we deliver today?');
    await dialog.getByLabel('Text 1').fill('Yes, please');
    await dialog.getByRole('button', { name: 'Add one' }).click();
    await dialog.getByLabel('Text 2').fill('Yes, please');
    await dialog.getByText('Two have the same text.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Text 2').fill('No');
    await dialog.getByRole('button', { name: 'Send' }).dblclick();
    await messageOf(page(), 'Shall we deliver today?').getByLabel('Read', { exact: true }).waitFor();
    const sent = (await accepted(ada.phone)).filter(({ payload }) => payload.interactive?.body?.text === 'Shall we deliver today?');
    expect(sent.map(({ payload }) => payload.interactive?.action?.buttons?.map(({ reply }) => reply.title))).toEqual([
      ['Yes, please', 'No'],
    ]);
    const context = { context_message_id: sent[0]?.wamid };
    await inbound({ type: 'button_reply', button_reply: { id: 'btn_1', title: 'Yes, please' }, ...context });
    await page().locator('.message:not(.ours)').filter({ hasText: 'Yes, please' }).getByLabel('In reply to').waitFor();
    await inbound({ type: 'reaction', reaction: { message_id: sent[0]?.wamid, emoji: '❤️' } });
    await messageOf(page(), 'Shall we deliver today?').getByRole('img', { name: 'Contact: ❤️' }).waitFor();
  });

  test('puts a reaction on a message and takes it back, and quotes the message that it answers', async () => {
    await inbound({ type: 'text', text: 'Is the shop open?' });
    const question = page().locator('.message:not(.ours)').filter({ hasText: 'Is the shop open?' });
    await question.hover();
    await question.getByRole('button', { name: 'React' }).click();
    await page().getByRole('menuitem', { name: '👍' }).click();
    await question.getByRole('img', { name: 'You: 👍' }).waitFor();
    await question.hover();
    await question.getByRole('button', { name: 'React' }).click();
    await page().getByRole('menuitem', { name: 'Take the reaction back' }).click();
    await question.getByRole('img', { name: 'You: 👍' }).waitFor({ state: 'detached' });
    const reactions = (await accepted(ada.phone)).filter(({ type }) => type === 'reaction');
    expect(reactions.map(({ payload }) => payload.reaction?.emoji)).toEqual(['👍', '']);
    await question.hover();
    await question.getByRole('button', { name: 'Answer this message' }).click();
    await composer(page()).fill('Until six');
    await page().keyboard.press('Enter');
    const answer = page().locator('.message.ours').filter({ hasText: 'Until six' });
    await answer.getByLabel('In reply to').filter({ hasText: 'Is the shop open?' }).waitFor();
    const quoted = (await accepted(ada.phone)).find(({ payload }) => payload.text?.body === 'Until six');
    expect(quoted?.payload.context?.message_id).toBe(reactions[0]?.payload.reaction?.message_id);
  });

  test('sends a file larger than a call of the API takes, once, and shows a picture that came', async () => {
    const bytes = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(5 * 1024 * 1024)]);
    await page().locator('.composer input[type=file]').setInputFiles({ name: 'catalogue.pdf', mimeType: 'application/pdf', buffer: bytes });
    await composer(page()).fill('The whole catalogue');
    await page().keyboard.press('Enter');
    const sent = page().locator('.message.ours').filter({ hasText: 'The whole catalogue' });
    await sent.getByLabel('Read', { exact: true }).waitFor();
    await sent.getByText('catalogue.pdf').waitFor();
    expect((await accepted(ada.phone)).filter(({ payload }) => payload.document?.filename === 'catalogue.pdf')).toHaveLength(1);
    await inbound({ type: 'image', media: { caption: 'It arrived like this' } });
    const picture = messageOf(page(), 'It arrived like this').locator('img');
    await picture.waitFor();
    await expect.poll(() => page().evaluate<number>('document.querySelector(".message img").naturalWidth')).toBeGreaterThan(0);
  });
};
